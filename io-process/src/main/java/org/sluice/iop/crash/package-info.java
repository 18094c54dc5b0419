/** The end of an I/O process whose own code fails, and what the next one has to know of it. */
package org.sluice.iop.crash;
