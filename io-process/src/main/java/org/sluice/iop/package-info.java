/**
 * The I/O process: the commands that start it, and what it consists of. Its main thread starts the
 * service thread and waits for its end.
 */
package org.sluice.iop;
