package org.sluice.iop.group;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sluice.iop.checkpoint.Group;

/**
 * The number of files that the previous checkpoint got in the end, and the time that they took. A
 * count of files completes the present checkpoint only after it has had as much of both. All times
 * are nanoseconds of one clock. Service thread only.
 */
final class ExpectedFiles {
  private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The group that was begun last; null for none. */
  private Group present;

  private long firstClosing;
  private long lastClosing;
  private long lastLook;

  /** The previous checkpoint; null for none. */
  private Group former;

  /** The most files that it was seen with; 0 for none. They may be removed while this counts. */
  private int files;

  /** True once all is known that processes told of it before they began the present one. */
  private boolean known;

  private long span;

  /** The expected numbers of files of groups that were left behind in doubt. */
  private final Map<Long, Integer> doubts = new HashMap<>();

  /** Begins the next checkpoint. The numbers of the present one become the expected ones. */
  void begin(final Group next) {
    if (present != null && present != next) {
      if (isDoubtful(present)) {
        doubts.put(present.number(), files);
      }
      former = present;
      files = former.files();
      known = false;
      span = lastClosing - firstClosing;
    }
    present = next;
    firstClosing = 0;
    lastClosing = 0;
    lastLook = 0;
  }

  /**
   * Notes that the one writer of the present group, if it has only one, has gone on to the next
   * checkpoint.
   */
  void leave() {
    if (present != null && present.hasOneWriter()) {
      present.leave();
    }
  }

  /** Notes that all rings were read, and then all requests. */
  void read() {
    if (!known && former != null) {
      files = Math.max(files, former.files());
      known = true;
    }
  }

  /** Returns whether the present group is known to have as many files as the previous one. */
  boolean isReached(final Group group) {
    return group == present && known && files > 0 && group.size() >= files;
  }

  /** Notes that an image of a group was closed, or that its state has changed otherwise. */
  void looked(final Group group, final long now, final boolean closed) {
    if (group == present) {
      lastLook = now;
      lastClosing = closed ? now : lastClosing;
      firstClosing = firstClosing == 0 ? lastClosing : firstClosing;
    }
  }

  /** Notes that a group is in the store; it may be the previous one. */
  void stored(final Group group) {
    if (former != null && group.number() == former.number()) {
      files = Math.max(files, group.files());
    }
  }

  /** Returns whether a process was killed that might have written missing files of a group. */
  boolean isDoubtful(final Group group) {
    final int expected = group == present ? files : doubts.getOrDefault(group.number(), 0);
    return group.size() < expected && group.hasKilledWriter();
  }

  /**
   * Returns whether a group has to wait: it may get more files, or a process that might have
   * written some was killed.
   */
  boolean holdsUp(final Group group, final RecheckSchedule rechecks, final GroupNotices notices) {
    if (isDoubtful(group)) {
      return true;
    }
    final boolean waits = expectsMore(group) && end() > rechecks.now();
    if (waits) {
      rechecks.wake(group.number(), end());
      notices.waits(group, this);
    }
    return waits;
  }

  /** Returns whether a group may get more files than it has. */
  boolean expectsMore(final Group group) {
    return group == present && group.size() < files;
  }

  /**
   * Returns the time at which the present group counts as complete if nothing changes until then.
   */
  long end() {
    return lastLook + Math.max(LEAST_NANOS, 2 * span);
  }

  int files() {
    return files;
  }

  /** {@return the number of the previous checkpoint, which exists} */
  long former() {
    return former.number();
  }
}
