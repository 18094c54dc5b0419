package org.sluice.iop.group;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * When groups may be looked at again. What costs as much as a group has images takes a part of the
 * time only, however often its images are opened and closed. Service thread only.
 */
public final class RecheckSchedule {
  /** So much longer than what was done before it is a pause. */
  private static final int SHARE = 10;

  private static final long NEVER = Long.MAX_VALUE;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LongSupplier clock;
  private final long origin;
  private final Map<Long, Pause> byGroup = new HashMap<>();

  /** The first end of a pause. */
  private long next = NEVER;

  /** Ends of pauses of one group, in nanoseconds since the origin. */
  private static final class Pause {
    private long look;
    private long growth;

    /** When it is to be looked at in any case; 0 for never. */
    private long wake;

    /** Whether it is to be looked at, and whether it had grown when that was asked for. */
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

    /** When it is due, or else over. */
    private long next() {
      final long end = end(!wanted || grown);
      return wake == 0 ? end : Math.min(wake, end);
    }
  }

  public RecheckSchedule(final LongSupplier clock) {
    this.clock = clock;
    this.origin = clock.getAsLong();
  }

  /** Nanoseconds by the clock of the pauses. */
  public long now() {
    return clock.getAsLong() - origin;
  }

  /**
   * Whether a group may be looked at. If not it is {@linkplain #due due} when it may.
   *
   * @param grown whether it is committed but for what has joined it since
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

  /** It was looked at in vain. */
  public void looked(final long number, final long began) {
    final Pause pause = of(number);
    pause.look = pauseAfter(began);
    next = Math.min(next, pause.look);
  }

  /** It is to be looked at again at that time, whatever happens until then. */
  public void wake(final long number, final long when) {
    of(number).wake = when;
    next = Math.min(next, when);
  }

  /** Its commit begins; what joins waits for the end of that. */
  public void committing(final long number) {
    of(number).growth = NEVER;
  }

  /**
   * Its commit has ended.
   *
   * @param began when that began, or later by what it waited for other nodes, which costs nothing
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

  /** Ends all pauses of a group. */
  public void end(final long number) {
    byGroup.remove(number);
  }

  /** The groups that were to be looked at in a pause that is over. */
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

  /** The groups that are to be looked at when their pause is over. */
  public List<Long> wanted() {
    return byGroup.entrySet().stream()
        .filter(each -> each.getValue().isAwaited())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** How long nothing is due, in milliseconds, if it is shorter than a limit. */
  public long patience(final long limit) {
    final boolean waited = byGroup.values().stream().anyMatch(Pause::isAwaited);
    return waited ? Math.clamp((next - now()) / NANOS_PER_MILLI + 1, 1, limit) : limit;
  }
}
