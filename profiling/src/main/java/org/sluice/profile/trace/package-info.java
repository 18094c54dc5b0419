/** Traces of writes: the format of recorded ones, and what every kind of trace looks like. */
package org.sluice.profile.trace;
