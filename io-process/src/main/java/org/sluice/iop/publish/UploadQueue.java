package org.sluice.iop.publish;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checkpoints that leave a stage, until it is known what became of each. Guarded by {@link
 * BucketUploader}.
 */
final class UploadQueue {
  /** The uploads that are not copied, in their order; the first one is being copied. */
  private final Deque<PendingUpload> waiting = new ArrayDeque<>();

  /** The uploads not copied, and those that wait for other nodes, by the ids of their commits. */
  private final Map<Long, PendingUpload> underWay = new LinkedHashMap<>();

  /** The ids of commits that count, or were said to stay on the stage after all. */
  private final Set<Long> decided = new HashSet<>();

  /** The newest that stays on the stage as yet, where nothing that leaves it is newer. */
  private PendingUpload newest;

  /** Adds an upload, and returns whether it was none of them before. */
  boolean add(final PendingUpload one) {
    final boolean older =
        newest != null
            && newest.commit().identity().sequence() < one.commit().identity().sequence();
    if (older) {
      newest = null;
    }
    final boolean isNew = underWay.putIfAbsent(one.commit().id(), one) == null;
    if (isNew) {
      waiting.add(one);
    }
    return isNew;
  }

  /** Keeps a checkpoint on the stage, unless it is the newest at the end. */
  void keep(final PendingUpload one) {
    newest = one;
  }

  /** Takes the newest that stays; null for none. The upload is the caller's from here on. */
  PendingUpload takeNewest() {
    final PendingUpload one = newest;
    newest = null;
    return one;
  }

  /** The one to be copied; null for none. */
  PendingUpload first() {
    return waiting.peekFirst();
  }

  void copied(final PendingUpload one) {
    waiting.remove(one);
  }

  /**
   * Notes that the outcome of an upload is told, and returns whether it is told for the first time.
   */
  boolean decide(final PendingUpload one) {
    return decided.add(one.commit().id());
  }

  void over(final PendingUpload one) {
    underWay.remove(one.commit().id());
  }

  boolean has(final long commit) {
    return underWay.containsKey(commit);
  }

  boolean areOver() {
    return underWay.isEmpty();
  }

  Collection<PendingUpload> all() {
    return List.copyOf(underWay.values());
  }

  /** Returns how much is not copied, with what is being copied; holes included. */
  long bytes() {
    return waiting.stream().mapToLong(one -> one.commit().content().bytes()).sum();
  }
}
