package org.sluice.iop;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.sluice.core.fault.Fault;
import org.sluice.core.segment.Geometry;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.memory.Pages;

/**
 * How an I/O process is to be.
 *
 * @param store the store's directory
 * @param capture the capture directory; null for none
 * @param name the I/O process's name
 * @param geometry the segment's geometry
 * @param pages what pages the segment is to lie on
 * @param threshold writes of this size or more go direct; empty for as the buffer fills
 * @param whenFull {@code HeaderDescriptor.WHEN_FULL_WAIT} or {@code WHEN_FULL_DIRECT}
 * @param layout {@code HeaderDescriptor.LAYOUT_CONTAINER} or {@code LAYOUT_FILES}
 * @param grouping which captured files are one checkpoint; null when files are not grouped
 * @param writers how many ranks of this node write a checkpoint, 0 for all
 * @param keep how many checkpoints of a series stay, 0 for all
 * @param endsWithMembers whether it ends when its last member has left
 * @param faults what is to go wrong
 */
record Settings(
    Path store,
    Path capture,
    String name,
    Geometry geometry,
    Pages pages,
    OptionalLong threshold,
    int whenFull,
    int layout,
    Grouping grouping,
    int writers,
    int keep,
    boolean endsWithMembers,
    List<Fault> faults) {}
