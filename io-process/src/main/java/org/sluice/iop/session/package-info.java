/**
 * The session of an I/O process from its start to its end: its directory and store, the job it is
 * for, and the service thread. The main thread starts the service thread and waits for its end.
 */
package org.sluice.iop.session;
