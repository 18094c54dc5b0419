package org.sluice.iop.journal;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What a {@link Ledger} knows of a checkpoint under way that was begun by request. */
public final class CheckpointFacts {
  private final Entry.Scope scope;
  private final Set<Integer> complete = new TreeSet<>();
  private final Map<Integer, Entry.Created> members = new LinkedHashMap<>();

  CheckpointFacts(final Entry.Scope scope) {
    this.scope = scope;
  }

  void complete(final int rank) {
    complete.add(rank);
  }

  /** A rank that creates another image has more to complete. */
  void created(final Entry.Created image) {
    complete.remove(image.rank());
    members.put(image.image(), image);
  }

  void forget(final int image) {
    members.remove(image);
  }

  /** Whether a commit has all of it. */
  boolean isComplete() {
    return complete.size() >= scope.expected();
  }

  /**
   * The ranks that complete it.
   *
   * @return as it was begun with
   */
  public Entry.Scope scope() {
    return scope;
  }

  /**
   * The ranks that have.
   *
   * @return ranks
   */
  public Set<Integer> complete() {
    return complete;
  }

  /**
   * Its images.
   *
   * @return in the order of their creation
   */
  public Collection<Entry.Created> members() {
    return members.values();
  }
}
