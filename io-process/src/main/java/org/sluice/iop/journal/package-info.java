/**
 * What an I/O process has decided, written down so that another one can go on if it is killed.
 * Every thread of the I/O process writes entries, each before what follows from it can be seen from
 * outside.
 */
package org.sluice.iop.journal;
