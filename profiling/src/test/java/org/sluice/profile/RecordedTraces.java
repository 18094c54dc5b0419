package org.sluice.profile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.sluice.profile.trace.CallTime;
import org.sluice.profile.trace.PartWriter;
import org.sluice.profile.trace.RecordedTrace;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;

/** Records traces for tests. */
public final class RecordedTraces {
  private RecordedTraces() {}

  /** Records checkpoints of a pattern, so many nanoseconds apart, in a new directory. */
  public static Path record(
      final Path directory, final Trace pattern, final int checkpoints, final long nanosApart)
      throws IOException {
    Files.createDirectory(directory);
    final Map<TracedProcess, PartWriter> parts = new HashMap<>();
    for (int i = 0; i < checkpoints; i++) {
      final long shift = i * nanosApart;
      pattern.read(
          write ->
              parts
                  .computeIfAbsent(write.origin(), origin -> begin(directory, origin))
                  .append(later(write, shift)));
    }
    for (final PartWriter part : parts.values()) {
      part.close();
    }
    return directory;
  }

  private static PartWriter begin(final Path directory, final TracedProcess origin) {
    try {
      return new PartWriter(directory.resolve(RecordedTrace.partName(origin)), 1, origin, 8, 0, 0);
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Write later(final Write write, final long shift) {
    return new Write(
        write.origin(),
        write.file(),
        write.call(),
        write.route(),
        new CallTime(write.time().begin() + shift, write.time().duration()),
        write.offset(),
        write.size());
  }
}
