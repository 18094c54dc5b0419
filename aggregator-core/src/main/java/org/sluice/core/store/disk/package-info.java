/**
 * The files that a store writes: durable steps in an order that a power cut respects, containers,
 * and the way in which a file system takes large writes.
 */
package org.sluice.core.store.disk;
