/**
 * The commit log of a node's store: records that commit checkpoints, and the search for committed
 * checkpoints.
 */
package org.sluice.core.store.log;
