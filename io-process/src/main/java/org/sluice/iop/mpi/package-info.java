/**
 * {@code sluice mpi}: the options of the native program that runs the jobs, and the commands that
 * read what became of their waves. Of the coordinator they know its files alone.
 */
package org.sluice.iop.mpi;
