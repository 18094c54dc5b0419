package org.sluice.profile.trace;

import java.util.ArrayList;
import java.util.List;

/** The parts of a trace that could not be read, and notes that a reader needs to judge the rest. */
public final class Omissions {
  private static final int SHOWN = 3;
  private static final int SHOWN_LENGTH = 160;

  private final List<String> first = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private long skipped;

  /** Counts a skipped line or record, at a place such as {@code line 12}. */
  public void skip(final String place, final String what) {
    skipped++;
    if (first.size() < SHOWN) {
      final String text = what.strip();
      first.add(
          place
              + ": "
              + (text.length() > SHOWN_LENGTH ? text.substring(0, SHOWN_LENGTH) + "..." : text));
    }
  }

  public void note(final String note) {
    notes.add(note);
  }

  public long skipped() {
    return skipped;
  }

  /** Returns place and text of the first few skipped lines or records. */
  public List<String> first() {
    return List.copyOf(first);
  }

  public List<String> notes() {
    return List.copyOf(notes);
  }
}
