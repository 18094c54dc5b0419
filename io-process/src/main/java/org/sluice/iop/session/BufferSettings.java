package org.sluice.iop.session;

import java.util.OptionalLong;
import org.sluice.core.segment.Geometry;
import org.sluice.iop.memory.Pages;

/**
 * The buffer that processes append to, and the writes that go past it.
 *
 * @param threshold size in bytes from which writes go direct; empty for an automatic threshold
 * @param whenFull {@code HeaderDescriptor.WHEN_FULL_WAIT} or {@code WHEN_FULL_DIRECT}
 * @param small bytes that a new file grows to before it is captured
 */
public record BufferSettings(
    Geometry geometry, Pages pages, OptionalLong threshold, int whenFull, long small) {}
