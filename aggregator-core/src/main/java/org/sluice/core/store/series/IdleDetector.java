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
 * What lies still. A process that lives says every few seconds that it uses its files, by its own
 * clock or by the storage's, which may be an hour from this node's. So only whether what it says
 * changes counts, while this process's own time goes on, and never how late that is. Not
 * thread-safe.
 *
 * @param <T> what may lie still
 */
public final class IdleDetector<T> {
  private static final long PAUSE_MILLIS = 500;

  private final Sign<T> sign;
  private final long restNanos;
  private final Map<T, Look> looks = new HashMap<>();

  /**
   * What changes as long as something is used.
   *
   * @param <T> what may lie still
   */
  @FunctionalInterface
  public interface Sign<T> {
    /**
     * Looks at it.
     *
     * @param thing what may lie still
     * @return equal to what it was as long as nothing changes
     * @throws IOException when that fails
     */
    Object of(T thing) throws IOException;
  }

  private record Look(Object sign, long since) {}

  /**
   * Nothing was looked at so far.
   *
   * @param sign what changes as long as something is used
   * @param rest for how long nothing may change of what lies still
   */
  public IdleDetector(final Sign<T> sign, final Duration rest) {
    this.sign = sign;
    this.restNanos = rest.toNanos();
  }

  /**
   * Looks at it, whether it has been the same for long enough.
   *
   * @param thing what may lie still
   * @return never at the first look, unless no time is enough
   * @throws IOException when that fails
   */
  public boolean is(final T thing) throws IOException {
    return !hasChanged(thing) && System.nanoTime() - looks.get(thing).since() >= restNanos;
  }

  /** Whether it is not what it was at the last look; the first one finds nothing. */
  private boolean hasChanged(final T thing) throws IOException {
    final Object now = sign.of(thing);
    final Look before = looks.get(thing);
    final boolean same = before != null && before.sign().equals(now);
    if (!same) {
      looks.put(thing, new Look(now, System.nanoTime()));
    }
    return before != null && !same;
  }

  /** Waits for long enough, or until all of them have changed. Returns those that lie still. */
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
