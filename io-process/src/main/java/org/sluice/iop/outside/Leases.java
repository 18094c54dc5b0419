package org.sluice.iop.outside;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.measure.Occurrence;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Timed;
import org.sluice.iop.measure.Warnings;

/**
 * The leases on closed images, where the kernel does not ask for permission. Opens of other images
 * are reported only after they have happened. Such an open is from outside Sluice unless a process
 * under the shim reports it as well.
 *
 * <p>A lease is granted only once the last process has closed the file, a moment after it said so.
 * So a lease is tried again and again. A process under the shim asks for the lease back before it
 * opens the file. Service thread only.
 */
public final class Leases {
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long GIVEN_BACK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** The longest time between an open and its OPEN request. */
  private static final long APART_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The longest time between an OPEN request and the guard's message on that open. */
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ImageRegistry registry;
  private final Header header;
  private final Layout layout;
  private final Statistics statistics;
  private final Guard guard;
  private Consumer<Image> openedOutside = image -> {};
  private boolean toldOfEarly;

  /** The closed images without a lease, with the time since when, by {@link System#nanoTime}. */
  private final Map<Image, Long> wanted = new LinkedHashMap<>();

  private final Map<Image, Opens> opens = new HashMap<>();
  private long due;
  private long interval = FIRST_NANOS;

  /** The times of opens that only one side has reported, the earliest first. */
  private record Opens(Deque<Long> announced, Deque<Long> noticed) {
    Opens() {
      this(new ArrayDeque<>(), new ArrayDeque<>());
    }

    void match(final Deque<Long> side, final Deque<Long> other, final long now) {
      if (other.poll() == null) {
        side.add(now);
      }
    }

    /** Returns whether an open was noticed that no process has announced. */
    boolean isUnexplained(final long now) {
      while (!announced.isEmpty() && now - announced.peek() > LATE_NANOS) {
        announced.poll();
      }
      return !noticed.isEmpty() && now - noticed.peek() > APART_NANOS;
    }

    boolean isNothing() {
      return announced.isEmpty() && noticed.isEmpty();
    }
  }

  public Leases(
      final ImageRegistry registry,
      final Header header,
      final Layout layout,
      final Statistics statistics,
      final Guard guard) {
    this.registry = registry;
    this.header = header;
    this.layout = layout;
    this.statistics = statistics;
    this.guard = guard;
  }

  /** Sets the receiver of images that a program outside has opened. */
  public void listen(final Consumer<Image> receiver) {
    openedOutside = receiver;
  }

  /**
   * Notes that a program outside has an image open. The program may have read before the file was
   * whole. A program that follows a file being written finds all of it a moment later.
   */
  private void openedOutside(final Image image) {
    if (!layout.showsWrites() || image.openers().isEmpty()) {
      statistics.count(Occurrence.OPENED_EARLY, 1);
      if (!toldOfEarly) {
        toldOfEarly = true;
        Warnings.warn(
            "%s was opened by a program outside Sluice before all its bytes were in it: that may have read too"
                    .formatted(image.opened())
                + " little, and what it wrote may be lost; if root runs the I/O process, such programs wait");
      }
    }
    openedOutside.accept(image);
  }

  /** Returns whether processes under the shim have to ask for leases back. */
  public boolean areUsed() {
    return guard.leases() && (!layout.showsWrites() || guard.holdsByLease());
  }

  /**
   * Takes leases on closed files that may lack bytes, so that programs wait that open them. Without
   * this call such leases are taken later, or in the files layout never: such a file is whole in a
   * moment there.
   *
   * @param captured test for images that programs open by their names
   * @return the images that no lease can hold, as some process has them open
   */
  public List<Image> hold(final Predicate<Image> captured) {
    if (!guard.leases()) {
      return List.of();
    }
    final List<Image> open = new ArrayList<>();
    for (final Image image : List.copyOf(layout.showsWrites() ? registry.all() : wanted.keySet())) {
      if (isKnown(image) && image.openers().isEmpty() && captured.test(image)) {
        hold(image, open);
      }
    }
    header.leases(areUsed());
    return open;
  }

  /**
   * Tries to hold one image. An image that cannot be held now stays wanted, where there are no
   * leases or its file is committed.
   */
  private void hold(final Image image, final List<Image> open) {
    final boolean held = guard.lease(image);
    final boolean isOpen =
        !held
            && image.state() == ImageDescriptor.STATE_DIVERTED
            && image.held().descriptor().filter(NativeFile::mayBeLeased).isPresent();
    if (isOpen) {
      open.add(image);
    }
    if (held) {
      held(image, wanted.remove(image));
    } else if (isOpen) {
      wanted.remove(image);
    }
  }

  private void held(final Image image, final Long since) {
    if (since != null && !image.isAtRest()) {
      statistics.took(Timed.UNHELD, since);
    }
  }

  /** Notes that the last process under Sluice that had an image open has closed it. */
  public void closed(final Image image) {
    if (areUsed() && image.state() != ImageDescriptor.STATE_DIRECT) {
      wanted.putIfAbsent(image, Math.min(image.closed(), System.nanoTime()));
      soon();
    }
  }

  /** Gives back the lease of a file that a process under the shim is about to open. */
  public void giveBack(final ImageKey key) {
    final Image image = registry.find(key);
    if (image != null && guard.leases()) {
      guard.unlease(image);
      wanted.put(image, System.nanoTime()); // in case no open follows
      interval = GIVEN_BACK_NANOS;
      due = System.nanoTime() + interval;
    }
  }

  /** Notes that a process under the shim has opened a file. */
  public void announced(final ImageKey key) {
    final Image image = guard.leases() ? registry.find(key) : null;
    if (image != null) {
      final Opens its = opens.computeIfAbsent(image, any -> new Opens());
      its.match(its.announced, its.noticed, System.nanoTime());
      soon();
    }
  }

  /** Notes that some process has opened a file. */
  public void noticed(final Image image) {
    if (image.state() != ImageDescriptor.STATE_DIRECT) {
      final Opens its = opens.computeIfAbsent(image, any -> new Opens());
      its.match(its.noticed, its.announced, System.nanoTime());
      soon();
    }
  }

  private void soon() {
    interval = FIRST_NANOS;
    due = System.nanoTime() + interval;
  }

  public void proceed() {
    final long now = System.nanoTime();
    if (isIdle() || now - due < 0) {
      return;
    }
    for (final Map.Entry<Image, Opens> one : List.copyOf(opens.entrySet())) {
      if (one.getValue().isUnexplained(now)) {
        opens.remove(one.getKey());
        if (isKnown(one.getKey())) {
          openedOutside(one.getKey());
        }
      }
    }
    opens.values().removeIf(Opens::isNothing);
    wanted.entrySet().removeIf(one -> isOver(one.getKey(), one.getValue()));
    interval = Math.min(2 * interval, opens.isEmpty() ? LONGEST_NANOS : APART_NANOS);
    due = now + interval;
  }

  private boolean isOver(final Image image, final long since) {
    if (!isKnown(image) || !image.openers().isEmpty()) {
      return true;
    }
    final boolean held = guard.lease(image);
    if (held) {
      held(image, since);
    }
    return held;
  }

  private boolean isKnown(final Image image) {
    return registry.find(image.id()) == image && image.state() != ImageDescriptor.STATE_DIRECT;
  }

  private boolean isIdle() {
    return wanted.isEmpty() && opens.isEmpty();
  }

  /** Returns how long nothing has to be done, in milliseconds; at most the limit. */
  public long patience(final long limit) {
    return isIdle()
        ? limit
        : Math.clamp(TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime()), 1, limit);
  }
}
