/** Traces of writes: the format of recorded traces, and the interface of all kinds of traces. */
package org.sluice.profile.trace;
