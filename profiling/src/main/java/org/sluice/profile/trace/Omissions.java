package org.sluice.profile.trace;

import java.util.ArrayList;
import java.util.List;

/** What of a trace could not be read, and what a reader has to know to judge the rest. */
public final class Omissions {
  private static final int SHOWN = 3;
  private static final int SHOWN_LENGTH = 160;

  private final List<String> first = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private long skipped;

  /** Nothing left out so far. */
  public Omissions() {}

  /**
   * Something was skipped.
   *
   * @param place where, such as {@code line 12}
   * @param what what stands there
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
   * Something to know about the whole.
   *
   * @param note a sentence
   */
  public void note(final String note) {
    notes.add(note);
  }

  /**
   * How much was skipped.
   *
   * @return lines or records, each once
   */
  public long skipped() {
    return skipped;
  }

  /**
   * The first few that were skipped.
   *
   * @return place and text of each
   */
  public List<String> first() {
    return List.copyOf(first);
  }

  /**
   * What to know about the whole.
   *
   * @return sentences
   */
  public List<String> notes() {
    return List.copyOf(notes);
  }
}
