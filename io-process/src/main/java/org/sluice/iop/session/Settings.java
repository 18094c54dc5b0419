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
 * The settings of an I/O process.
 *
 * @param store directory of the store, or of the stage
 * @param stage way of checkpoints from the stage to a bucket; null where they stay
 * @param series name of the series in the store; null where the user names none
 * @param capture the capture directory, absolute and resolved; null for none
 * @param geometry the segment's geometry
 * @param pages kind of pages that the segment is to lie on
 * @param threshold size in bytes from which writes go direct; empty for an automatic threshold
 * @param whenFull {@code HeaderDescriptor.WHEN_FULL_WAIT} or {@code WHEN_FULL_DIRECT}
 * @param small bytes that a new file grows to before it is captured
 * @param layout place where bytes land
 * @param session name, checkpoints and end of the session
 * @param faults faults to inject
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
