/**
 * The stage: a store in memory or on a fast disk, from which parts are copied to a bucket, and what
 * a dead one left.
 */
package org.sluice.core.store.stage;
