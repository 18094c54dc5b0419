/**
 * A checkpoint on its way into the store: what the session knows of checkpoints and groups, the
 * commit, and those who wait for it. The service thread decides. A class named Work carries a
 * decision out on the stages of the drain, and may touch only what it was given and the fields of
 * an image that belong to its stage.
 */
package org.sluice.iop.checkpoint;
