package org.sluice.profile.report;

import org.sluice.core.segment.SlotDescriptor;

/** The paper's size classes and their names. */
final class SizeClasses {
  static final int COUNT = SlotDescriptor.SIZE_CLASSES;

  private static final String[] UNITS = {"", "K", "M"};

  private SizeClasses() {}

  /** Returns the smallest size of a class. */
  static long from(final int sizeClass) {
    return sizeClass == 0 ? 0 : SlotDescriptor.sizeClassLimit(sizeClass - 1);
  }

  /** Returns the smallest size beyond a class; {@link Long#MAX_VALUE} for the last one. */
  static long to(final int sizeClass) {
    return SlotDescriptor.sizeClassLimit(sizeClass);
  }

  /** Returns the name of a class, such as {@code 4K-16K}. */
  static String label(final int sizeClass) {
    return sizeClass == COUNT - 1
        ? "1M and more"
        : scaled(from(sizeClass), UNITS) + "-" + scaled(to(sizeClass), UNITS);
  }

  /** Returns a limit in words, such as {@code 64 B} or {@code 16 KiB}. */
  static String words(final long limit) {
    return scaled(limit, " B", " KiB", " MiB");
  }

  private static String scaled(final long limit, final String... units) {
    return limit >= 1 << 20
        ? (limit >> 20) + units[2]
        : limit >= 1 << 10 ? (limit >> 10) + units[1] : limit + units[0];
  }
}
