/**
 * Where committed checkpoints are: what the I/O process writes and a restart reads. The I/O process
 * writes from its drain; any number of other processes read, and hold the locks that keep it apart.
 */
package org.sluice.core.store;
