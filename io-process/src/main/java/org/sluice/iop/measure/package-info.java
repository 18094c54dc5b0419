/**
 * The measurements of the I/O process and their reports. All threads of the I/O process add to
 * them. The thread of the metrics' port and the end of the session read them.
 */
package org.sluice.iop.measure;
