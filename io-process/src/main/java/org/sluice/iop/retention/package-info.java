/** The checkpoints that a session keeps, and the removal of older ones. */
package org.sluice.iop.retention;
