/**
 * What the I/O process measures and how it tells. All threads of the I/O process add to it; the
 * thread of the metrics' port and the end of the session read it.
 */
package org.sluice.iop.measure;
