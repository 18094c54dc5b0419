package org.sluice.iop.group;

import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.sluice.core.store.model.Commit;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.checkpoint.Group;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.image.Image;
import org.sluice.iop.retention.Retention;

/**
 * The return of set-aside images to their group, when their checkpoint stays after all. The images
 * are in the group as they were committed, but for those that a program has renamed or deleted
 * meanwhile. Service thread only.
 */
final class Returning implements Retention.Returns {
  private final CheckpointState state;
  private final CapturedFiles files;
  private final Grouping grouping;
  private final BiConsumer<Image, Optional<String>> look;
  private final Consumer<Group> joined;

  /**
   * @param look looks at an image that no longer belongs to its group, with its absolute name
   * @param joined receiver of a group that may have other images by now
   */
  Returning(
      final CheckpointState state,
      final CapturedFiles files,
      final Grouping grouping,
      final BiConsumer<Image, Optional<String>> look,
      final Consumer<Group> joined) {
    this.state = state;
    this.files = files;
    this.grouping = grouping;
    this.look = look;
    this.joined = joined;
  }

  @Override
  public void take(final Commit stays, final Group former, final List<Image> images) {
    if (former == null) {
      return;
    }
    final List<Image> others =
        images.stream().filter(image -> !enters(image, stays.number(), former)).toList();
    final Group group = state.groups().find(stays.number());
    if (group != null) {
      if (group != former) {
        group.stored(former.takeStored());
      }
      if (!others.isEmpty()) {
        group.lost();
      }
      joined.accept(group);
    }
    others.stream()
        .filter(image -> files.registry().find(image.id()) == image)
        .forEach(image -> look.accept(image, files.capture().find(image)));
  }

  private boolean enters(final Image image, final long number, final Group former) {
    final Optional<String> path =
        files.registry().find(image.id()) == image
            ? files.capture().relativePath(image)
            : Optional.empty();
    final boolean named =
        path.map(grouping::number).stream()
            .anyMatch(told -> told.isPresent() && told.getAsLong() == number);
    if (named) {
      state.groups().enterAgain(former, image, path.get());
    }
    return named;
  }
}
