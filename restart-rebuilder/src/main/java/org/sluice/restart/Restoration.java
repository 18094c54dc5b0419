package org.sluice.restart;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Progress;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.Quoting;
import org.sluice.core.process.ParallelReading;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.node.CheckpointReader;

/**
 * The rebuilding of images into a directory. All targets are checked. Then all images are rebuilt
 * under temporary names, in parallel, and renamed only once all are there. A signal removes
 * unfinished files.
 */
final class Restoration {
  /** The set-user-id, set-group-id and sticky bits. */
  private static final int SPECIAL_BITS = 07000;

  private final CheckpointReader store;
  private final Commit commit;
  private final List<CommittedImage> images;
  private final RestoreTarget target;
  private final BuildPlaces places;
  private final Progress progress;

  private final List<String> copies = new ArrayList<>();
  private long swept;

  /** The target directories that have been checked. */
  private final Set<String> parents = new HashSet<>();

  /**
   * An image being rebuilt.
   *
   * @param temporary name of its file until all images are there
   * @param linked whether that is another name of an earlier image's file
   */
  private record Pending(CommittedImage image, String temporary, boolean linked) {}

  Restoration(
      final CheckpointReader store,
      final Commit commit,
      final List<CommittedImage> images,
      final RestoreTarget target,
      final BuildPlaces places,
      final Progress progress) {
    this.store = store;
    this.commit = commit;
    this.images = images;
    this.target = target;
    this.places = places;
    this.progress = progress;
  }

  void run() throws IOException {
    swept = Scaffold.sweep(target.directory());
    checkTargets();
    final Scaffold scaffold = new Scaffold(target.force(), places);
    final Thread takeDown = Stopping.takesDown(scaffold);
    try (scaffold) {
      build(scaffold);
      scaffold.finish();
    } finally {
      Stopping.isOver(takeDown); // once nothing hidden is left
    }
  }

  private void build(final Scaffold scaffold) throws IOException {
    scaffold.directory(target.directory());
    final List<Pending> pending = new ArrayList<>();
    final Map<Integer, Pending> files = new HashMap<>();
    for (final CommittedImage image : images) {
      final Pending one = begin(scaffold, image, files.get(image.imageId()));
      pending.add(one);
      files.putIfAbsent(image.imageId(), one);
    }
    rebuild(pending.stream().filter(one -> !one.linked()).toList());
  }

  /** Returns remarks, one line each, on removed files and on attributes that are not restored. */
  List<String> remarks() {
    final List<String> remarks = new ArrayList<>();
    if (swept > 0) {
      remarks.add(
          "removed what a restore to %s left that was killed: %s"
              .formatted(Quoting.name(target.directory()), SizeConverter.format(swept)));
    }
    final List<CommittedImage> special =
        images.stream().filter(image -> (image.attributes().mode() & SPECIAL_BITS) != 0).toList();
    if (!special.isEmpty() && !target.specialBits()) {
      remarks.add(
          "set-user-id, set-group-id and sticky bits are left out: files=%d, such as %s;"
                  .formatted(special.size(), Quoting.name(special.getFirst().path()))
              + " --special-bits gives them back to the store's own user");
    }
    if (!copies.isEmpty()) {
      remarks.add(
          "names of one file became files of their own, since %s has no hard links: files=%d, such as %s"
              .formatted(
                  Quoting.name(target.directory()),
                  copies.size(),
                  Quoting.name(copies.getFirst())));
    }
    return remarks;
  }

  private String target(final CommittedImage image) {
    return FileName.resolve(target.directory(), image.path());
  }

  /**
   * Creates a file for an image, or another name of an earlier image's file if that is the same.
   */
  private Pending begin(final Scaffold scaffold, final CommittedImage image, final Pending before)
      throws IOException {
    checkParents(image);
    if (before != null && isSame(before.image(), image)) {
      try {
        return new Pending(image, scaffold.link(before.temporary(), target(image)), true);
      } catch (final PosixException noLinksHere) {
        copies.add(image.path());
      }
    }
    return new Pending(image, scaffold.file(target(image)), false);
  }

  /** Returns whether two images of one id were one file. */
  private static boolean isSame(final CommittedImage one, final CommittedImage other) {
    return one.size() == other.size()
        && one.attributes().mode() == other.attributes().mode()
        && one.chunks().equals(other.chunks())
        && one.blocks().equals(other.blocks())
        && one.holders().equals(other.holders());
  }

  private void checkTargets() {
    final Map<String, CommittedImage> seen = new HashMap<>();
    for (final CommittedImage image : images) {
      final CommittedImage other = seen.put(image.path(), image);
      if (other != null) {
        throw new CommandException(
            ExitStatus.USAGE,
            "rank %d and rank %d both have an image %s; restore one of them with --rank"
                .formatted(other.rank(), image.rank(), Quoting.name(image.path())));
      }
      checkTarget(target(image));
    }
  }

  private void checkTarget(final String path) {
    final FileType there = typeOf(path);
    if (there == FileType.DIRECTORY) {
      throw new CommandException(
          ExitStatus.EXISTS, Quoting.name(path) + " is a directory; move it or restore elsewhere");
    }
    if (!target.force() && there != null) {
      throw Scaffold.exists(path);
    }
  }

  /** Returns the type of a file; null when there is none. A symbolic link is not followed. */
  private static FileType typeOf(final String path) {
    try {
      return FileStatus.of(path).type();
    } catch (final PosixException nothingThere) {
      return null;
    }
  }

  /** Checks that no symbolic link leads an image elsewhere. */
  private void checkParents(final CommittedImage image) throws IOException {
    final String target = target(image);
    final String parent = target.substring(0, target.lastIndexOf('/'));
    if (parents.add(parent)) {
      checkLinks(parent);
    }
  }

  private void checkLinks(final String parent) throws IOException {
    for (String inside = parent;
        inside.length() > target.directory().length();
        inside = inside.substring(0, inside.lastIndexOf('/'))) {
      if (typeOf(inside) == FileType.LINK
          && !FileName.isWithin(Names.real(inside), Names.real(target.directory()))) {
        throw new CommandException(
            ExitStatus.FAILED,
            "%s leads out of %s by a symbolic link; restore elsewhere"
                .formatted(Quoting.name(inside), Quoting.name(target.directory())));
      }
    }
  }

  private void rebuild(final List<Pending> files) throws IOException {
    new ParallelReading<>(
            several -> store.rebuilder(commit, several), files, ParallelReading.MOST, this::rebuild)
        .run();
  }

  private void rebuild(final Rebuilder rebuilder, final Pending one) throws IOException {
    final CommittedImage image = one.image();
    final long[] written = new long[1];
    try (NativeFile file = NativeFile.open(one.temporary(), Flag.WRITE)) {
      rebuilder.rebuild(
          image,
          file,
          bytes -> {
            written[0] += bytes;
            progress.add(bytes);
          });
      file.chmod(
          target.specialBits()
              ? image.attributes().mode()
              : image.attributes().mode() & ~SPECIAL_BITS);
    }
    progress.add(image.size() - written[0]); // holes
  }
}
