package org.sluice.iop.wave.protocol;

import java.util.List;
import java.util.Map;

/** What a rank writes at its line; under Pcl nothing is under way then. */
record Image(
    Program program,
    Map<Stream, Long> sent,
    Map<Stream, Long> got,
    Map<Long, Long> collectives,
    int requests,
    List<Handle> open,
    List<Handle> drained) {}
