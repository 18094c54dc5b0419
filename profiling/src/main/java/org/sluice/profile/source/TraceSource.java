package org.sluice.profile.source;

import java.io.IOException;
import java.nio.file.Path;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.workload.Workload;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Where a command's writes come from: a trace or a published pattern. */
public final class TraceSource {
  @Parameters(paramLabel = "TRACE", description = "What sluice profile report reads.")
  private Path trace;

  @Option(
      names = "--workload",
      paramLabel = "lu|bt|sp|cg",
      description = "A published pattern of 8 processes instead of a trace.")
  private Workload workload;

  /** For picocli. */
  public TraceSource() {}

  /**
   * The trace.
   *
   * @return nothing of it is read yet
   * @throws IOException when it cannot be read
   */
  public Trace open() throws IOException {
    return workload == null ? Traces.open(trace) : workload.checkpoint(Workload.RANKS);
  }
}
