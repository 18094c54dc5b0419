/**
 * The end of an I/O process whose own code fails, and what the next one has to know of it. Any
 * thread may fail at any instruction: what is here takes no lock of other packages and needs little
 * memory.
 */
package org.sluice.iop.crash;
