/** Where the segment's memory comes from: huge pages wherever they can be had. */
package org.sluice.iop.memory;
