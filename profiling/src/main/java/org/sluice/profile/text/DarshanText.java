package org.sluice.profile.text;

import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Write;

/** Text of Darshan's parsers: a heading says when the job began, and all times count from there. */
abstract class DarshanText extends LineReader {
  private static final Pattern START = Pattern.compile("# start_time: (\\d+)");

  long startNanos;

  DarshanText(final Omissions omissions, final Consumer<Write> sink) {
    super(omissions, sink);
  }

  @Override
  final boolean isRead(final long number, final String line) {
    final Matcher start = START.matcher(line);
    if (start.matches()) {
      startNanos = Long.parseLong(start.group(1)) * 1_000_000_000L;
    } else if (line.startsWith("#")) {
      heading(line);
    } else {
      return line.isBlank() || data(line);
    }
    return true;
  }

  /** Takes another line that begins with a number sign. */
  void heading(final String line) {}

  /** Takes a line of data; false when it cannot be read. */
  abstract boolean data(String line);
}
