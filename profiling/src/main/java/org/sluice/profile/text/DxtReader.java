package org.sluice.profile.text;

import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.CallTime;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Route;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;

/**
 * A reader of the output of {@code darshan-dxt-parser}. A heading tells when the job began; all
 * times count from there.
 */
final class DxtReader extends LineReader {
  private static final Pattern START = Pattern.compile("# start_time: (\\d+)");
  private static final Pattern FILE = Pattern.compile("# DXT, file_id: \\d+, file_name: (.*)");
  private static final Pattern RANK = Pattern.compile("# DXT, rank: (-?\\d+), hostname: (.*)");
  private static final Pattern SEGMENT =
      Pattern.compile(
          " *(X_\\w+) +(-?\\d+) +(write|read) +\\d+ +(\\d+) +(\\d+) +(\\d+\\.\\d+) +(\\d+\\.\\d+)"
              + "(?: .*)?");

  private long startNanos;
  private String file;
  private TracedProcess origin;
  private long mpiWrites;

  DxtReader(final Omissions omissions, final Consumer<Write> sink) {
    super(omissions, sink);
  }

  @Override
  boolean isRead(final long number, final String line) {
    if (line.startsWith("#")) {
      heading(line);
      return true;
    }
    return line.isBlank() || data(line);
  }

  private void heading(final String line) {
    final Matcher start = START.matcher(line);
    final Matcher fileName = FILE.matcher(line);
    final Matcher rank = RANK.matcher(line);
    if (start.matches()) {
      startNanos = Long.parseLong(start.group(1)) * 1_000_000_000L;
    } else if (fileName.matches()) {
      file = fileName.group(1);
      origin = null;
    } else if (rank.matches()) {
      final int number = Integer.parseInt(rank.group(1));
      origin = new TracedProcess(rank.group(2), number, number);
    }
  }

  /** Returns false when the line cannot be read. */
  private boolean data(final String line) {
    final Matcher matcher = SEGMENT.matcher(line);
    if (!matcher.matches() || file == null || origin == null) {
      return false;
    }
    if (matcher.group(3).equals("read")) {
      return true;
    }
    if (!matcher.group(1).toUpperCase(Locale.ROOT).equals("X_POSIX")) {
      mpiWrites++;
      return true;
    }
    final long begin = Math.round(Double.parseDouble(matcher.group(6)) * 1e9);
    final long end = Math.round(Double.parseDouble(matcher.group(7)) * 1e9);
    sink.accept(
        new Write(
            origin,
            file,
            Call.OTHER,
            Route.UNKNOWN,
            new CallTime(startNanos + begin, Math.max(0, end - begin)),
            Long.parseLong(matcher.group(4)),
            Long.parseLong(matcher.group(5))));
    return true;
  }

  @Override
  void end() {
    omissions.note("Darshan prints times to 0.1 ms: shorter writes seem to take none.");
    if (mpiWrites > 0) {
      omissions.note(
          "%d writes of MPI-IO were left out: what they wrote is among the POSIX writes."
              .formatted(mpiWrites));
    }
  }
}
