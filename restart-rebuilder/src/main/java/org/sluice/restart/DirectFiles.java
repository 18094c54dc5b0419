package org.sluice.restart;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.sluice.core.command.JsonObject;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Sharing;

/**
 * Files that a checkpoint names and that hold their bytes themselves, since several nodes wrote
 * them. The files stay where they are; a restart finds them there.
 */
record DirectFiles(List<CommittedImage> images) {
  static DirectFiles of(final List<CommittedImage> all) {
    return new DirectFiles(Sharing.direct(all));
  }

  boolean exist() {
    return !images.isEmpty();
  }

  /** Checks that the files are as they were: without them the rest is no checkpoint. */
  void check() throws IOException {
    for (final CommittedImage image : images) {
      image.sharing().check(image.size());
    }
  }

  /** Returns a line on where users find the files; empty when there are none. */
  Optional<String> whereabouts() {
    return images.stream()
        .findFirst()
        .map(
            first ->
                ("files that several nodes wrote are where they were, and not restored: files=%d, such as"
                        + " %s; where one node alone opens them, sluice run --private REGEX has the"
                        + " bytes in the checkpoint")
                    .formatted(images.size(), Quoting.name(first.sharing().file())));
  }

  List<JsonObject> members() {
    return images.stream()
        .map(
            image ->
                new JsonObject()
                    .withFile("file", image.sharing().file())
                    .with("size", image.size()))
        .toList();
  }
}
