/**
 * The end of an I/O process whose own code fails, and what the next one has to know of it. Any
 * thread may fail at any instruction: the code here takes no lock of other packages and needs
 * little memory.
 */
package org.sluice.iop.crash;
