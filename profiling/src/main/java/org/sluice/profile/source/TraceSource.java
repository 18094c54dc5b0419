package org.sluice.profile.source;

import static org.sluice.core.command.Model.option;
import static org.sluice.core.command.Model.parameter;

import java.io.IOException;
import java.nio.file.Path;
import org.sluice.core.command.Model;
import org.sluice.core.command.SharedOptions;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.workload.Workload;

/** The source of a command's writes: a trace or a published pattern. */
public final class TraceSource implements SharedOptions {
  private Path trace;
  private Workload workload;

  @Override
  public void addTo(final Model model) {
    model
        .add(
            parameter(Path.class, value -> trace = value)
                .paramLabel("TRACE")
                .description("What sluice profile report reads."))
        .add(
            option(Workload.class, value -> workload = value, "--workload")
                .paramLabel("lu|bt|sp|cg")
                .description("A published pattern of 8 processes instead of a trace."));
  }

  /** Opens the trace, of which nothing is read yet. */
  public Trace open() throws IOException {
    return workload == null ? Traces.open(trace) : workload.checkpoint(Workload.RANKS);
  }
}
