/**
 * The commands that start an I/O process or ask one that runs: {@code run}, {@code serve}, {@code
 * mpi}, {@code check}, {@code ps}, {@code threshold}, with their options. Of a job's coordinator
 * they know its files alone.
 */
package org.sluice.iop.command;
