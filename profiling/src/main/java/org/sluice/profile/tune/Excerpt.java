package org.sluice.profile.tune;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;

/**
 * The first writes of each process.
 *
 * @param share bytes of each process; its last write may go beyond
 */
record Excerpt(Trace whole, long share) implements Trace {
  /** Returns the first writes of a trace; the trace itself if it has no more bytes than a limit. */
  static Trace of(final Trace trace, final Survey survey, final long most) {
    return survey.tally().bytes() <= most
        ? trace
        : new Excerpt(trace, most / survey.origins().size());
  }

  @Override
  public String kind() {
    return whole.kind();
  }

  @Override
  public Omissions read(final Consumer<Write> sink) throws IOException {
    final Map<TracedProcess, Long> bytes = new HashMap<>();
    return whole.read(
        write -> {
          if (bytes.merge(write.origin(), write.size(), Long::sum) - write.size() < share) {
            sink.accept(write);
          }
        });
  }
}
