/**
 * Where the segment's memory comes from: huge pages wherever they can be had. The starting thread
 * chooses; a background thread then allocates chunk after chunk, while others use those that it
 * freed.
 */
package org.sluice.iop.memory;
