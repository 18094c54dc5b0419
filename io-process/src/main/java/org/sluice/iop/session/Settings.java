package org.sluice.iop.session;

import java.util.List;
import java.util.Optional;
import org.sluice.core.fault.Fault;
import org.sluice.core.segment.Layout;
import org.sluice.iop.checkpoint.SessionSettings;

/**
 * The settings of an I/O process.
 *
 * @param store place of the checkpoints
 * @param capture the capture directory, absolute and resolved; empty for none
 * @param buffer shared memory for what is not yet on storage
 * @param layout place where bytes land
 * @param session name, checkpoints and end of the session
 * @param faults faults to inject
 */
public record Settings(
    StoreSettings store,
    Optional<String> capture,
    BufferSettings buffer,
    Layout layout,
    SessionSettings session,
    List<Fault> faults) {}
