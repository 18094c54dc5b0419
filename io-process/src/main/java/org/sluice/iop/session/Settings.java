package org.sluice.iop.session;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.sluice.core.fault.Fault;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.Layout;
import org.sluice.iop.checkpoint.SessionSettings;
import org.sluice.iop.memory.Pages;
import org.sluice.iop.publish.StageSettings;

/**
 * How an I/O process is to be.
 *
 * @param store the store's directory, or that of the stage
 * @param stage how checkpoints get from there to a bucket; null where they stay
 * @param series the series in it; null where the user names none
 * @param capture the capture directory, absolute and resolved; null for none
 * @param geometry the segment's geometry
 * @param pages what pages the segment is to lie on
 * @param threshold writes of this size or more go direct; empty for as the buffer fills
 * @param whenFull {@code HeaderDescriptor.WHEN_FULL_WAIT} or {@code WHEN_FULL_DIRECT}
 * @param small bytes that a new file grows to before it is captured
 * @param layout where bytes land
 * @param session what it is called, how it makes checkpoints, and when it ends
 * @param faults what is to go wrong
 */
public record Settings(
    Path store,
    StageSettings stage,
    String series,
    String capture,
    Geometry geometry,
    Pages pages,
    OptionalLong threshold,
    int whenFull,
    long small,
    Layout layout,
    SessionSettings session,
    List<Fault> faults) {}
