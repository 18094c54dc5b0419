/**
 * The commands that start an I/O process or ask a running one: {@code run}, {@code serve}, {@code
 * mpi}, {@code check}, {@code ps}, {@code threshold}, with their options. The commands know a job's
 * coordinator only by its files.
 */
package org.sluice.iop.command;
