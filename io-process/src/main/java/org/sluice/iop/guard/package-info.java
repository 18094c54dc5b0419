/** Programs outside Sluice that open images, and how the kernel tells of them. */
package org.sluice.iop.guard;
