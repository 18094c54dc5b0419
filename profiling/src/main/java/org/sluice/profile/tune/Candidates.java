package org.sluice.profile.tune;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Trace;

/** The settings that are worth a replay. */
final class Candidates {
  private static final List<Long> THRESHOLDS = List.of(Long.MAX_VALUE, 1L << 20, 256L << 10);
  private static final long SMALLEST_BUFFER = 8L << 20;
  private static final long LARGEST_BUFFER = 2L << 30;

  /** The bytes that a process holds beside its data: the chunk it fills, and the next one. */
  private static final long CHUNKS_OF_A_PROCESS = 2L << 20;

  /**
   * The number of buffers smaller than the demand. They may do, since the drain empties them
   * meanwhile.
   */
  private static final int HALVINGS = 2;

  private Candidates() {}

  /**
   * Returns the candidates of a program: first all writes aggregated in a buffer that holds the
   * bytes written without a pause; then in smaller buffers; then large writes direct and the others
   * in a buffer that holds them.
   */
  static List<Setting> of(final Trace trace, final Survey survey) throws IOException {
    final Demand demand = Demand.of(trace, THRESHOLDS);
    final long chunks = survey.origins().size() * CHUNKS_OF_A_PROCESS;
    final List<Setting> settings = new ArrayList<>();
    for (int i = 0; i < THRESHOLDS.size(); i++) {
      if (i == 0 || demand.bytes(i) < demand.bytes(i - 1)) {
        settings.add(new Setting(THRESHOLDS.get(i), buffer(demand.bytes(i) + chunks)));
      }
    }
    for (int i = 1; i <= HALVINGS; i++) {
      final long smaller = settings.getFirst().buffer() >> i;
      if (smaller >= Math.max(SMALLEST_BUFFER, chunks)) {
        settings.add(i, new Setting(Long.MAX_VALUE, smaller));
      }
    }
    return settings;
  }

  /** Returns the next power of two, within the limits of a buffer. */
  private static long buffer(final long bytes) {
    final long power = Long.highestOneBit(Math.max(bytes, 1) * 2 - 1);
    return Math.clamp(power, SMALLEST_BUFFER, LARGEST_BUFFER);
  }
}
