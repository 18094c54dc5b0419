/**
 * The checkpoints of a session, by groups of files, by request and at its end, and the readers of
 * checkpoints during the session. The service thread decides.
 */
package org.sluice.iop.trigger;
