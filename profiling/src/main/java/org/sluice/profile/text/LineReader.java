package org.sluice.profile.text;

/** Makes writes of lines. One use only. */
interface LineReader {
  /** Takes a line, whatever stands in it. */
  void line(long number, String line);

  /** After the last line. */
  void end();
}
