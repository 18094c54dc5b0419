/** Which images make a checkpoint, when it is committed, and what becomes of the rest. */
package org.sluice.iop.checkpoint;
