/** Faults that a user asks for, to rehearse recovery. */
package org.sluice.core.fault;
