package org.sluice.iop.journal;

import java.util.function.Consumer;

/** What the entries of a journal add up to. One thread at a time. */
public interface Fold {
  /**
   * Adds an entry. What contradicts the entries before is left out: the journal is whole up to its
   * end, but an entry may be about something that another thread had let go of.
   *
   * @param entry the next one
   */
  void apply(Entry entry);

  /**
   * Says the same in fewer entries: applied to a fold that knows nothing they give this one.
   *
   * @param to takes them in their order
   */
  void sum(Consumer<Entry> to);
}
