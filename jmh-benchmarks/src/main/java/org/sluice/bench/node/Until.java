package org.sluice.bench.node;

import java.util.Locale;

/** What a measured checkpoint ends with. */
enum Until {
  /** The ranks close their images. */
  CLOSE,
  /** The ranks sync their images, then close them. */
  SYNC,
  /** The I/O process has committed the checkpoint, after the ranks closed their images. */
  COMMIT,
  /** The ranks close their images, slowly: their system calls are counted and no times taken. */
  COUNT;

  /** As the node program names it. */
  String order() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean hasReturn() {
    return this == CLOSE || this == COMMIT;
  }

  boolean hasDurable() {
    return this == SYNC || this == COMMIT;
  }
}
