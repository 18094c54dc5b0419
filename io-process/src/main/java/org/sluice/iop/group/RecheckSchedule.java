package org.sluice.iop.group;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The schedule by which groups may be looked at again. A look at a group costs as much as it has
 * images. Looks take a part of the time only, however often images are opened and closed. Service
 * thread only.
 */
public final class RecheckSchedule {
  /** The length of a pause as a multiple of the work before it. */
  private static final int SHARE = 10;

  private static final long NEVER = Long.MAX_VALUE;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LongSupplier clock;
  private final long origin;
  private final Map<Long, Pause> byGroup = new HashMap<>();

  /**
   * The groups that may be complete by what one ring told, with whether each is not to wait for
   * more files. A file created earlier by another process may be known from that process's ring
   * alone, which was read before. A rename comes as a request, past the ring of its process. So
   * nothing is decided before all rings and requests were read once more, in this order.
   */
  private Map<Long, Boolean> undecided = new LinkedHashMap<>();

  /** The earliest end of any pause. */
  private long next = NEVER;

  /** The ends of the pauses of one group, in nanoseconds since the origin. */
  private static final class Pause {
    private long look;
    private long growth;

    /** The time of a look in any case; 0 for none. */
    private long wake;

    /**
     * True while a look is wanted; the next field tells whether the group had grown when it was
     * asked for.
     */
    private boolean wanted;

    private boolean grown;

    private long end(final boolean afterGrowth) {
      return afterGrowth ? Math.max(look, growth) : look;
    }

    private boolean isDue(final long now) {
      return wanted && end(grown) <= now || wake != 0 && wake <= now;
    }

    private boolean isAwaited() {
      return wanted || wake != 0;
    }

    /** Returns the time at which a look is due, or else the pause is over. */
    private long next() {
      final long end = end(!wanted || grown);
      return wake == 0 ? end : Math.min(wake, end);
    }
  }

  public RecheckSchedule(final LongSupplier clock) {
    this.clock = clock;
    this.origin = clock.getAsLong();
  }

  /** Has a group looked at as soon as all rings and requests were read. */
  public void changed(final long number) {
    undecided.putIfAbsent(number, false);
  }

  /** Has all groups that are to be looked at later wait no more, neither for time nor for files. */
  void hurry() {
    wanted().forEach(number -> undecided.put(number, true));
  }

  boolean hasUndecided() {
    return !undecided.isEmpty();
  }

  /** Decides about the groups that may be complete, once all rings and requests were read. */
  void decide(final Runnable readAll, final LongConsumer complete, final LongConsumer hurried) {
    if (hasUndecided()) {
      final Map<Long, Boolean> now = undecided;
      undecided = new LinkedHashMap<>();
      readAll.run();
      now.forEach((number, hurry) -> (hurry ? hurried : complete).accept(number));
    }
  }

  /** Returns the time in nanoseconds by the clock of the pauses. */
  public long now() {
    return clock.getAsLong() - origin;
  }

  /**
   * Returns whether a group may be looked at now. If not, {@link #due} returns it when it may.
   *
   * @param grown whether the group is committed but for files that joined since
   */
  public boolean isOver(final long number, final boolean grown) {
    final Pause pause = byGroup.get(number);
    if (pause == null || pause.end(grown) <= now()) {
      return true;
    }
    pause.wanted = true;
    pause.grown = grown;
    next = Math.min(next, pause.end(grown));
    return false;
  }

  /** Notes that a look at a group was in vain. */
  public void looked(final long number, final long began) {
    final Pause pause = of(number);
    pause.look = pauseAfter(began);
    next = Math.min(next, pause.look);
  }

  /** Schedules a look at a group for a time, whatever happens until then. */
  public void wake(final long number, final long when) {
    of(number).wake = when;
    next = Math.min(next, when);
  }

  /** Notes that the commit of a group begins. Files that join wait for its end. */
  public void committing(final long number) {
    of(number).growth = NEVER;
  }

  /**
   * Notes that the commit of a group has ended.
   *
   * @param began begin of the commit, plus its time of waiting for other nodes, which costs nothing
   */
  public void committed(final long number, final long began) {
    final Pause pause = of(number);
    pause.growth = pauseAfter(began);
    next = Math.min(next, pause.growth);
  }

  private long pauseAfter(final long began) {
    final long now = now();
    return now + SHARE * (now - began);
  }

  private Pause of(final long number) {
    return byGroup.computeIfAbsent(number, any -> new Pause());
  }

  public void end(final long number) {
    byGroup.remove(number);
  }

  /** Returns the groups that were to be looked at during a pause that is over. */
  public List<Long> due() {
    final long now = now();
    if (now < next) {
      return List.of();
    }
    final List<Long> due = new ArrayList<>();
    byGroup.forEach(
        (number, pause) -> {
          if (pause.isDue(now)) {
            pause.wanted = false;
            pause.wake = 0;
            due.add(number);
          }
        });
    byGroup.values().removeIf(pause -> pause.wake == 0 && pause.end(true) <= now);
    next = byGroup.values().stream().mapToLong(Pause::next).min().orElse(NEVER);
    return due;
  }

  /** Returns the groups that are to be looked at when their pause is over. */
  public List<Long> wanted() {
    return byGroup.entrySet().stream()
        .filter(each -> each.getValue().isAwaited())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Returns how long nothing is due, in milliseconds; at most the limit. */
  public long patience(final long limit) {
    final boolean waited = byGroup.values().stream().anyMatch(Pause::isAwaited);
    return waited ? Math.clamp((next - now()) / NANOS_PER_MILLI + 1, 1, limit) : limit;
  }
}
