/** Images and what each thread of the I/O process knows of them. */
package org.sluice.iop.image;
