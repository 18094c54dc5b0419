/**
 * Which images make a checkpoint, when it is committed, and what becomes of the rest. The service
 * thread decides. A class named Work carries a decision out on the stages of the drain, and may
 * touch only what it was given and the fields of an image that belong to its stage.
 */
package org.sluice.iop.checkpoint;
