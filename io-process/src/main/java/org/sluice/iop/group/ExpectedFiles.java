package org.sluice.iop.group;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sluice.iop.checkpoint.Group;

/**
 * How many files the checkpoint before the present one got in the end, and how long they took. The
 * present one is given as much before a count of its files completes it: never less. All times are
 * nanoseconds of one clock. Service thread only.
 */
final class ExpectedFiles {
  private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The group that was begun last; null for none. */
  private Group present;

  private long firstClosing;
  private long lastClosing;
  private long lastLook;

  /** The checkpoint before that, if it has files. */
  private long former;

  private int files;
  private long span;

  /** How many files were expected of groups that were left behind in doubt. */
  private final Map<Long, Integer> doubts = new HashMap<>();

  /** The next checkpoint begins: what the present one has is what there is to learn. */
  void begin(final Group next) {
    if (present != null && present != next) {
      if (isDoubtful(present)) {
        doubts.put(present.number(), files);
      }
      former = present.number();
      files = present.size();
      span = lastClosing - firstClosing;
    }
    present = next;
    firstClosing = 0;
    lastClosing = 0;
    lastLook = 0;
  }

  /** Its one writer, if there is no other, has gone on to the next checkpoint. */
  void leave() {
    if (present != null && present.hasOneWriter()) {
      present.leave();
    }
  }

  /** Whether the present group has as many files as the one before. */
  boolean isReached(final Group group) {
    return group == present && files > 0 && group.size() >= files;
  }

  /** An image of a group was closed, or something else has become of it. */
  void looked(final Group group, final long now, final boolean closed) {
    if (group == present) {
      lastLook = now;
      lastClosing = closed ? now : lastClosing;
      firstClosing = firstClosing == 0 ? lastClosing : firstClosing;
    }
  }

  /** A group is in the store, which may be the one before the present one. */
  void stored(final Group group) {
    if (files > 0 && group.number() == former) {
      files = Math.max(files, group.size());
    }
  }

  /** Whether a process was killed that might have written files which a group has not got. */
  boolean isDoubtful(final Group group) {
    final int expected = group == present ? files : doubts.getOrDefault(group.number(), 0);
    return group.size() < expected && group.hasKilledWriter();
  }

  /** Whether it is to wait: it may get more files, or who might have written some was killed. */
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

  /** Whether a group may get more files than it has. */
  boolean expectsMore(final Group group) {
    return group == present && group.size() < files;
  }

  /** How long the present group has to stay as it is to be taken as complete. */
  long end() {
    return lastLook + Math.max(LEAST_NANOS, 2 * span);
  }

  /** How many files the checkpoint before had. */
  int files() {
    return files;
  }

  /** The number of the checkpoint before. */
  long former() {
    return former;
  }
}
