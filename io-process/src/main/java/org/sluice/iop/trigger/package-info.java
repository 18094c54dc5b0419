/**
 * The checkpoints of a session, by groups of files, by request and at its end, and what reads them
 * while it lasts. The service thread decides.
 */
package org.sluice.iop.trigger;
