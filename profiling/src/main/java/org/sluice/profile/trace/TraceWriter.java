package org.sluice.profile.trace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.sluice.core.posix.Entropy;

/** A writer of a recorded trace: a part for each process. Not thread-safe. */
public final class TraceWriter implements AutoCloseable {
  private final Path directory;
  private final long traceId = Entropy.nextLong();
  private final Map<TracedProcess, PartWriter> parts = new HashMap<>();

  /**
   * @param directory existing directory without a trace
   */
  public TraceWriter(final Path directory) {
    this.directory = directory;
  }

  /**
   * Writes a trace of another kind as a recorded trace.
   *
   * @param directory existing directory without a trace
   */
  public static Omissions copy(final Trace trace, final Path directory) throws IOException {
    try (TraceWriter out = new TraceWriter(directory)) {
      return trace.read(out::append);
    } catch (final UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * @param write the write; writes of a process have to come in the order of their times
   */
  public void append(final Write write) {
    parts
        .computeIfAbsent(write.origin(), origin -> begin(origin, write.time().begin()))
        .append(write);
  }

  private PartWriter begin(final TracedProcess origin, final long time) {
    try {
      final Path part = directory.resolve(RecordedTrace.partName(origin));
      return new PartWriter(part, traceId, origin, 0, time, 0);
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    for (final PartWriter part : parts.values()) {
      part.close();
    }
  }
}
