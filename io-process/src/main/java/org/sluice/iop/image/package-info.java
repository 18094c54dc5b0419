/**
 * Images, with the part of their state that each thread of the I/O process knows. Each field
 * belongs to the service thread or to one stage of the drain; its comment says to which. No lock is
 * needed for that.
 */
package org.sluice.iop.image;
