/**
 * The commit log of a node's store: records that commit checkpoints, and the reading of what is
 * committed.
 */
package org.sluice.core.store.log;
