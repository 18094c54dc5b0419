/** Where committed checkpoints are: what the I/O process writes and a restart reads. */
package org.sluice.core.store;
