package org.sluice.profile.text;

import java.util.function.Consumer;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Write;

/** A reader that turns lines into writes. Used once. */
abstract class LineReader {
  final Omissions omissions;
  final Consumer<Write> sink;

  LineReader(final Omissions omissions, final Consumer<Write> sink) {
    this.omissions = omissions;
    this.sink = sink;
  }

  final void line(final long number, final String line) {
    if (!isRead(number, line)) {
      omissions.skip("line " + number, line);
    }
  }

  /** Returns false when the line cannot be read. */
  abstract boolean isRead(long number, String line);

  /** Ends the reading, after the last line. */
  abstract void end();
}
