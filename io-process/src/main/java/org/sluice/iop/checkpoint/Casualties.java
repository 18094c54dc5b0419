package org.sluice.iop.checkpoint;

import java.util.Collection;
import java.util.stream.Stream;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Writer;

/**
 * The harm that kills and faults of the storage have done to the images of a group. Service thread
 * only.
 */
record Casualties(Collection<Image> images) {
  /**
   * Images of killed processes, when one that came after more kills has written an image, too. Not
   * after their own kill: ranks that go back may come while others are still to be killed.
   */
  long outlived() {
    final int latest = writers().mapToInt(Writer::killsBefore).max().orElse(0);
    return writers().filter(writer -> writer.wasKilled() && writer.killsBefore() < latest).count();
  }

  boolean hasKilledWriter() {
    return writers().anyMatch(Writer::wasKilled);
  }

  long lost() {
    return images.stream().filter(image -> image.errno() != 0).count();
  }

  /** Returns why one of them lost bytes. */
  String reason() {
    return images.stream()
        .flatMap(image -> image.failure().stream())
        .map(Exception::getMessage)
        .findFirst()
        .orElse("");
  }

  /** Returns whether the images are in a state that no rank meant them to have. */
  boolean areTorn() {
    return lost() > 0
        || outlived() > 0
        || images.stream().anyMatch(image -> image.isAbandoned() && image.writer().wasKilled());
  }

  private Stream<Writer> writers() {
    return images.stream().flatMap(image -> image.writers().stream());
  }
}
