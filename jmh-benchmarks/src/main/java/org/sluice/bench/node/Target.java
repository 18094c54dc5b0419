package org.sluice.bench.node;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A storage system that the benchmark writes checkpoints through. */
enum Target {
  POSIX_FRESH("posix-fresh", "fresh"),
  POSIX_OVERWRITE("posix-overwrite", "overwrite"),
  POSIX_STDIO("posix-stdio1m", "stdio"),
  /** What memory bandwidth allows: processes that only copy the same bytes into shared memory. */
  MEMCPY_FLOOR("memcpy-floor", "memory"),
  /** What the disk allows: one process that writes the same bytes past the page cache. */
  ODIRECT_FLOOR("odirect-floor", "direct"),
  CONTAINER_16K("sluice-container-16k", "container", "16K"),
  CONTAINER_64K("sluice-container-64k", "container", "64K"),
  CONTAINER_256K("sluice-container-256k", "container", "256K"),
  CONTAINER_512K("sluice-container-512k", "container", "512K"),
  CONTAINER_AUTO("sluice-container-auto", "container", "auto"),
  FILES_AUTO("sluice-files-auto", "files", "auto");

  private final String label;
  private final String output;
  private final String layout;
  private final String threshold;

  Target(final String label, final String output) {
    this(label, output, "", "");
  }

  Target(final String label, final String layout, final String threshold) {
    this(label, "fresh", layout, threshold);
  }

  Target(final String label, final String output, final String layout, final String threshold) {
    this.label = label;
    this.output = output;
    this.layout = layout;
    this.threshold = threshold;
  }

  static Optional<Target> named(final String label) {
    return Arrays.stream(values()).filter(target -> target.label.equals(label)).findFirst();
  }

  /** What results call it. */
  String label() {
    return label;
  }

  /** How its ranks put bytes somewhere, as the rank program names it. */
  String output() {
    return output;
  }

  boolean isSluice() {
    return !layout.isEmpty();
  }

  /** The I/O process's layout; empty without one. */
  String layout() {
    return layout;
  }

  /** The I/O process's threshold; empty without one. */
  String threshold() {
    return threshold;
  }

  /** Whether its I/O process commits checkpoints, and keeps some. */
  boolean isContainer() {
    return layout.equals("container");
  }

  /** Whether all its checkpoints go into the same files. */
  boolean isInPlace() {
    return this == POSIX_OVERWRITE || this == ODIRECT_FLOOR;
  }

  /**
   * Rounds until each is like the one before: a third commit lets the first checkpoint go, whose
   * container is then written over.
   */
  int warmUps() {
    return isContainer() ? 4 : 2;
  }

  /**
   * The measurements of a round. Where being durable takes a call of the ranks, the time to return
   * is measured without it in a checkpoint of its own.
   */
  List<Until> measurements() {
    return switch (this) {
      case MEMCPY_FLOOR -> List.of(Until.CLOSE);
      case CONTAINER_16K, CONTAINER_64K, CONTAINER_256K, CONTAINER_512K, CONTAINER_AUTO ->
          List.of(Until.COMMIT);
      default -> List.of(Until.CLOSE, Until.SYNC);
    };
  }

  @Override
  public String toString() {
    return label;
  }
}
