/** What the I/O process measures and how it tells. */
package org.sluice.iop.measure;
