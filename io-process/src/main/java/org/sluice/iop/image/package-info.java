/**
 * Images, and what each thread of the I/O process knows of them. Each field belongs to the service
 * thread or to one stage of the drain; its comment says to which. No lock is needed for that.
 */
package org.sluice.iop.image;
