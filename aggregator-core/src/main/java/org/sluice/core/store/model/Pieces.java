package org.sluice.core.store.model;

import java.util.ArrayList;
import java.util.List;
import org.sluice.core.posix.Extent;

/** A part of an image's bytes. */
public record Pieces(List<Extent> extents) {
  /** No bytes. */
  public static final Pieces NONE = new Pieces(List.of());

  /**
   * @throws IllegalArgumentException when they are not ascending, or not disjoint
   */
  public Pieces {
    long end = 0;
    for (final Extent extent : extents) {
      if (extent.offset() < end
          || extent.length() < 1
          || extent.length() > Long.MAX_VALUE - extent.offset()) {
        throw new IllegalArgumentException("pieces out of order at " + extent.offset());
      }
      end = extent.end();
    }
    extents = List.copyOf(extents);
  }

  /** Returns all bytes of an image. */
  public static Pieces upTo(final long size) {
    return size == 0 ? NONE : new Pieces(List.of(new Extent(0, size)));
  }

  /** Returns the bytes that are in these pieces and in others. */
  public Pieces and(final Pieces others) {
    final List<Extent> common = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < extents.size() && j < others.extents.size()) {
      final Extent one = extents.get(i);
      final Extent other = others.extents.get(j);
      final long from = Math.max(one.offset(), other.offset());
      final long to = Math.min(one.end(), other.end());
      if (from < to) {
        common.add(new Extent(from, to - from));
      }
      if (one.end() < other.end()) {
        i++;
      } else {
        j++;
      }
    }
    return new Pieces(common);
  }

  /** Returns the bytes of these pieces that are not in others. */
  public Pieces without(final Pieces others) {
    return and(others.rest());
  }

  private Pieces rest() {
    final List<Extent> rest = new ArrayList<>();
    long end = 0;
    for (final Extent extent : extents) {
      if (extent.offset() > end) {
        rest.add(new Extent(end, extent.offset() - end));
      }
      end = extent.end();
    }
    if (end < Long.MAX_VALUE) {
      rest.add(new Extent(end, Long.MAX_VALUE - end));
    }
    return new Pieces(rest);
  }

  /** Returns whether a block has any of these bytes. */
  boolean meet(final Block block) {
    int low = 0;
    int high = extents.size();
    while (low < high) { // the first that ends after its beginning
      final int middle = (low + high) >>> 1;
      if (extents.get(middle).end() > block.offset()) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low < extents.size() && extents.get(low).offset() < block.offset() + block.length();
  }

  /** Returns the end of the last piece; 0 for none. */
  public long end() {
    return extents.isEmpty() ? 0 : extents.getLast().end();
  }

  /** Returns the number of bytes. */
  public long length() {
    return extents.stream().mapToLong(Extent::length).sum();
  }

  public boolean isEmpty() {
    return extents.isEmpty();
  }
}
