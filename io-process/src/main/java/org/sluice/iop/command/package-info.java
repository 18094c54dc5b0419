/**
 * The commands that start an I/O process or ask a running one: {@code run}, {@code serve}, {@code
 * mpi}, {@code check}, {@code ps}, {@code threshold}, with their options. Of a job's coordinator
 * they know only the files.
 */
package org.sluice.iop.command;
