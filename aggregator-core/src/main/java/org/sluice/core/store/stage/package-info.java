/**
 * The stage: a store in memory or on a fast disk, from which parts are copied to a bucket. A dead
 * run's remains on it are here as well.
 */
package org.sluice.core.store.stage;
