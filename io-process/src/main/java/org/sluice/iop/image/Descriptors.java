package org.sluice.iop.image;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.sluice.core.store.node.HeldLinks;

/**
 * The images with descriptors, and those of them that may do without: images that no process has
 * open, the longest unused first. Thread-safe.
 */
public final class Descriptors {
  private final HeldLinks links;
  private final Set<Integer> linked;
  private final Set<Image> idle = new LinkedHashSet<>();
  private int count;
  private long bound = Long.MAX_VALUE;

  /**
   * @param links links of the session, which hold images at rest
   * @param linked the images of a former I/O process that have a link
   */
  public Descriptors(final HeldLinks links, final Set<Integer> linked) {
    this.links = links;
    this.linked = Set.copyOf(linked);
  }

  public HeldLinks links() {
    return links;
  }

  /** Returns the place of an image's hidden link, whether there is one or not. */
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

  public synchronized int count() {
    return count;
  }

  public synchronized void bound(final long most) {
    bound = most;
  }

  public synchronized long bound() {
    return bound;
  }

  /** Returns the number of further images that may have a descriptor. */
  public synchronized int room() {
    return Math.clamp(bound - count, 0, Integer.MAX_VALUE);
  }

  /** Notes that no process has an image open any more, or that a stage has opened it again. */
  public synchronized void idle(final Image image) {
    idle.remove(image);
    idle.add(image);
  }

  /** Notes that a process opens an image, or that it is released. */
  public synchronized void busy(final Image image) {
    idle.remove(image);
  }

  /**
   * Takes out images that may come to rest. A refused one is left out until it is {@link #idle}
   * anew.
   *
   * @return the longest unused first
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
