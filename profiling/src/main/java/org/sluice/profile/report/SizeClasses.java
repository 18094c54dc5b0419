package org.sluice.profile.report;

import org.sluice.core.segment.SlotDescriptor;

/** The paper's size classes and their names. */
final class SizeClasses {
  static final int COUNT = SlotDescriptor.SIZE_CLASSES;

  private SizeClasses() {}

  /** The smallest size of a class. */
  static long from(final int sizeClass) {
    return sizeClass == 0 ? 0 : SlotDescriptor.sizeClassLimit(sizeClass - 1);
  }

  /** The smallest size beyond a class; {@link Long#MAX_VALUE} for the last one. */
  static long to(final int sizeClass) {
    return SlotDescriptor.sizeClassLimit(sizeClass);
  }

  /** Such as {@code 4K-16K}. */
  static String label(final int sizeClass) {
    return sizeClass == COUNT - 1
        ? "1M and more"
        : size(from(sizeClass)) + "-" + size(to(sizeClass));
  }

  /** A limit in words, such as {@code 64 B} or {@code 16 KiB}. */
  static String words(final long limit) {
    return limit >= 1 << 20
        ? (limit >> 20) + " MiB"
        : limit >= 1 << 10 ? (limit >> 10) + " KiB" : limit + " B";
  }

  private static String size(final long limit) {
    return limit >= 1 << 20
        ? (limit >> 20) + "M"
        : limit >= 1 << 10 ? (limit >> 10) + "K" : Long.toString(limit);
  }
}
