/** What an I/O process has decided, written down so that another one can go on if it is killed. */
package org.sluice.iop.journal;
