package org.sluice.profile.text;

import java.util.function.Consumer;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Write;

/** Makes writes of lines. One use only. */
abstract class LineReader {
  final Omissions omissions;
  final Consumer<Write> sink;

  LineReader(final Omissions omissions, final Consumer<Write> sink) {
    this.omissions = omissions;
    this.sink = sink;
  }

  /** Takes a line, whatever stands in it. */
  final void line(final long number, final String line) {
    if (!isRead(number, line)) {
      omissions.skip("line " + number, line);
    }
  }

  /** Takes a line; false when it cannot be read. */
  abstract boolean isRead(long number, String line);

  /** After the last line. */
  abstract void end();
}
