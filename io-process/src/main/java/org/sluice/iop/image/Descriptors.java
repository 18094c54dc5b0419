package org.sluice.iop.image;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.sluice.core.store.node.HeldLinks;

/**
 * How many images have descriptors, and which of them may do without: those that no process has
 * open, the one longest unused first. Thread-safe.
 */
public final class Descriptors {
  private final HeldLinks links;
  private final Set<Integer> linked;
  private final Set<Image> idle = new LinkedHashSet<>();
  private int count;
  private long bound = Long.MAX_VALUE;

  /**
   * No image has one.
   *
   * @param links of the session, which hold images at rest
   * @param linked the images of a former I/O process that have a link
   */
  public Descriptors(final HeldLinks links, final Set<Integer> linked) {
    this.links = links;
    this.linked = Set.copyOf(linked);
  }

  /**
   * What holds images at rest.
   *
   * @return of the session
   */
  public HeldLinks links() {
    return links;
  }

  /** Where the hidden link of an image is, whether there is one or not. */
  String link(final int image) {
    return links.of(image).toString();
  }

  boolean isLinked(final int image) {
    return linked.contains(image);
  }

  synchronized void taken() {
    count++;
  }

  synchronized void given() {
    count--;
  }

  /**
   * How many images have a descriptor.
   *
   * @return 0 or more
   */
  public synchronized int count() {
    return count;
  }

  /**
   * Says how many images may have a descriptor by now.
   *
   * @param most 0 or more
   */
  public synchronized void bound(final long most) {
    bound = most;
  }

  /**
   * How many images may have a descriptor.
   *
   * @return 0 or more
   */
  public synchronized long bound() {
    return bound;
  }

  /**
   * How many more images may have a descriptor.
   *
   * @return 0 or more
   */
  public synchronized int room() {
    return Math.clamp(bound - count, 0, Integer.MAX_VALUE);
  }

  /**
   * No process has an image open any more, or some stage has opened it again.
   *
   * @param image it was used last
   */
  public synchronized void idle(final Image image) {
    idle.remove(image);
    idle.add(image);
  }

  /**
   * A process opens an image, or it is let go of.
   *
   * @param image it does not come to rest
   */
  public synchronized void busy(final Image image) {
    idle.remove(image);
  }

  /**
   * Takes out images that may come to rest. What is found not to is left out until it is {@link
   * #idle} anew.
   *
   * @param most how many
   * @param may whether one may
   * @return the one longest unused first
   */
  public synchronized List<Image> takeIdle(final int most, final Predicate<Image> may) {
    final List<Image> taken = new ArrayList<>();
    for (final Iterator<Image> i = idle.iterator(); i.hasNext() && taken.size() < most; ) {
      final Image image = i.next();
      i.remove();
      if (may.test(image)) {
        taken.add(image);
      }
    }
    return taken;
  }
}
