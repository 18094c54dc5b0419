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

  /** Creates an empty list. */
  public Omissions() {}

  /**
   * Counts a skipped line or record.
   *
   * @param place its place, such as {@code line 12}
   * @param what text of the line or record
   */
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

  /**
   * Adds a note on the whole trace.
   *
   * @param note a sentence
   */
  public void note(final String note) {
    notes.add(note);
  }

  /**
   * Returns how much was skipped.
   *
   * @return the number of lines or records
   */
  public long skipped() {
    return skipped;
  }

  /**
   * Returns the first few skipped lines or records.
   *
   * @return place and text of each
   */
  public List<String> first() {
    return List.copyOf(first);
  }

  /**
   * Returns the notes on the whole trace.
   *
   * @return the notes, each a sentence
   */
  public List<String> notes() {
    return List.copyOf(notes);
  }
}
