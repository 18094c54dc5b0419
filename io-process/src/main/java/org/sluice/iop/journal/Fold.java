package org.sluice.iop.journal;

import java.util.function.Consumer;

/** The state that the entries of a journal add up to. Not thread-safe. */
public interface Fold {
  /**
   * An entry that contradicts earlier ones is left out. The journal is whole up to its end, but an
   * entry may be about something that another thread had let go of.
   */
  void apply(Entry entry);

  /**
   * Gives this state in fewer entries. Applied to an empty fold they make a fold equal to this one.
   *
   * @param to takes the entries in their order
   */
  void sum(Consumer<Entry> to);
}
