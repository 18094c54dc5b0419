/** The I/O process: the commands that start it, and what it consists of. */
package org.sluice.iop;
