/**
 * The store of a node: {@link org.sluice.core.store.node.PosixStore} writes it, and {@link
 * org.sluice.core.store.node.PosixReader} reads it. The I/O process writes from its drain; any
 * number of other processes read, and hold the locks that keep it apart.
 */
package org.sluice.core.store.node;
