/**
 * The stage: a store in memory or on a fast disk, from which parts are copied to a bucket, and the
 * remains of a dead run.
 */
package org.sluice.core.store.stage;
