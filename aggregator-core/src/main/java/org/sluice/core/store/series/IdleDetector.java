package org.sluice.core.store.series;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A detector of idle things. A live process says every few seconds that it uses its files, by its
 * own clock or by the storage's. Either may be an hour from this node's. So only changes count,
 * seen while this process's own time goes on, and never the age of a time. Not thread-safe.
 */
public final class IdleDetector<T> {
  private static final long PAUSE_MILLIS = 500;

  private final Sign<T> sign;
  private final long restNanos;
  private final Map<T, Look> looks = new HashMap<>();

  /** A sign that changes as long as a thing is used. */
  @FunctionalInterface
  public interface Sign<T> {
    /** {@return value equal to the last one as long as nothing changes} */
    Object of(T thing) throws IOException;
  }

  private record Look(Object sign, long since) {}

  /**
   * @param rest time without a change after which a thing is idle
   */
  public IdleDetector(final Sign<T> sign, final Duration rest) {
    this.sign = sign;
    this.restNanos = rest.toNanos();
  }

  /**
   * Looks at a thing, and returns whether it has been the same for long enough; false at the first
   * look, unless the time is 0.
   */
  public boolean is(final T thing) throws IOException {
    return !hasChanged(thing) && System.nanoTime() - looks.get(thing).since() >= restNanos;
  }

  /** Returns whether a thing has changed since the last look; false at the first look. */
  private boolean hasChanged(final T thing) throws IOException {
    final Object now = sign.of(thing);
    final Look before = looks.get(thing);
    final boolean same = before != null && before.sign().equals(now);
    if (!same) {
      looks.put(thing, new Look(now, System.nanoTime()));
    }
    return before != null && !same;
  }

  /** Waits for long enough, or until all things have changed. Returns the idle things. */
  Set<T> await(final Collection<T> things) throws IOException {
    final Set<T> waiting = new HashSet<>(things);
    final Set<T> still = new HashSet<>();
    while (!waiting.isEmpty()) {
      for (final T thing : Set.copyOf(waiting)) {
        if (hasChanged(thing)) {
          waiting.remove(thing);
        } else if (is(thing)) {
          waiting.remove(thing);
          still.add(thing);
        }
      }
      if (!waiting.isEmpty() && !pause()) {
        return Set.of();
      }
    }
    return still;
  }

  private boolean pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(Math.min(PAUSE_MILLIS, 1 + restNanos / 4_000_000));
      return true;
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
