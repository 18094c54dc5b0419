package org.sluice.iop.session;

import java.util.List;
import java.util.Optional;
import org.sluice.core.fault.Fault;
import org.sluice.core.segment.Layout;
import org.sluice.iop.checkpoint.SessionSettings;

/**
 * The settings of an I/O process.
 *
 * @param capture the capture directory, absolute and resolved; empty for none
 */
public record Settings(
    StoreSettings store,
    Optional<String> capture,
    BufferSettings buffer,
    Layout layout,
    SessionSettings session,
    List<Fault> faults) {}
