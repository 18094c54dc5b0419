/**
 * The decisions of an I/O process, written down so that another one can continue if this one is
 * killed. Every thread of the I/O process writes entries, each before its effect can be seen from
 * outside.
 */
package org.sluice.iop.journal;
