package org.sluice.core.segment;

import java.nio.ByteOrder;
import java.util.Set;

/** The platforms on which the segment's layout and memory ordering are known to hold. */
final class Platform {
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "x86_64", "aarch64");

  private Platform() {}

  static void require() throws SegmentException {
    require(System.getProperty("os.name"), System.getProperty("os.arch"), ByteOrder.nativeOrder());
  }

  static void require(final String system, final String architecture, final ByteOrder order)
      throws SegmentException {
    if (!system.equals("Linux")
        || !ARCHITECTURES.contains(architecture)
        || order != ByteOrder.LITTLE_ENDIAN) {
      throw new SegmentException(
          "unsupported platform: %s %s %s; Sluice runs on little-endian Linux x86-64 and aarch64"
              .formatted(system, architecture, order));
    }
  }
}
