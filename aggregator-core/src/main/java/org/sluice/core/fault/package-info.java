/**
 * Faults that a user asks for, to rehearse recovery. They are armed before any other thread runs;
 * from then on any thread may reach a fault point.
 */
package org.sluice.core.fault;
