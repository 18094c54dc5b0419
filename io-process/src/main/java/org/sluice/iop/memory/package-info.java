/**
 * The source of the segment's memory: huge pages wherever they can be had. The starting thread
 * chooses the source. A background thread then allocates chunk after chunk, while others use those
 * that it freed.
 */
package org.sluice.iop.memory;
