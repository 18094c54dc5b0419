package org.sluice.restart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Progress;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.Commit;
import org.sluice.core.store.CommittedImage;

/**
 * Rebuilds images into a directory: checks all targets, rebuilds everything under temporary names,
 * in parallel, and renames only once all of it is there.
 */
final class Restoration {
  /** More than cores, so that some read while others write; each holds a chunk of memory. */
  private static final int THREADS = 8;

  private final CheckpointStore store;
  private final Commit commit;
  private final List<CommittedImage> images;
  private final Path directory;
  private final boolean force;
  private final Progress progress;

  Restoration(
      final CheckpointStore store,
      final Commit commit,
      final List<CommittedImage> images,
      final Path directory,
      final boolean force,
      final Progress progress) {
    this.store = store;
    this.commit = commit;
    this.images = images;
    this.directory = directory.toAbsolutePath().normalize();
    this.force = force;
    this.progress = progress;
  }

  void run() throws IOException {
    checkTargets();
    Files.createDirectories(directory);
    final Map<CommittedImage, Path> temporaries = new LinkedHashMap<>();
    try {
      for (final CommittedImage image : images) {
        temporaries.put(image, temporary(image));
      }
      rebuildAll(temporaries);
      for (final CommittedImage image : images) {
        rename(temporaries.get(image), target(image));
        temporaries.remove(image);
      }
    } finally {
      for (final Path temporary : temporaries.values()) {
        Files.deleteIfExists(temporary);
      }
    }
  }

  private Path target(final CommittedImage image) {
    return directory.resolve(image.path());
  }

  private void checkTargets() {
    final Map<String, CommittedImage> seen = new HashMap<>();
    for (final CommittedImage image : images) {
      final CommittedImage other = seen.put(image.path(), image);
      if (other != null) {
        throw new CommandException(
            ExitStatus.USAGE,
            "rank %d and rank %d both have an image %s; restore one of them with --rank"
                .formatted(other.rank(), image.rank(), image.path()));
      }
      checkTarget(target(image));
    }
  }

  private void checkTarget(final Path target) {
    if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new CommandException(
          ExitStatus.EXISTS, target + " is a directory; move it or restore elsewhere");
    }
    if (!force && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new CommandException(
          ExitStatus.EXISTS, target + " exists; --force overwrites it, --to takes another place");
    }
  }

  /** Makes the directory an image goes to, and sees that no symbolic link leads it elsewhere. */
  private Path temporary(final CommittedImage image) throws IOException {
    final Path parent = target(image).getParent();
    final Path root = directory.toRealPath();
    Path inside = parent;
    while (!Files.exists(inside)) {
      inside = inside.getParent();
    }
    if (!inside.toRealPath().startsWith(root)) {
      throw new CommandException(
          ExitStatus.FAILED,
          "%s leads out of %s by a symbolic link; restore elsewhere".formatted(inside, directory));
    }
    Files.createDirectories(parent);
    final String name = ".sluice-%016x".formatted(ThreadLocalRandom.current().nextLong());
    final Path temporary = parent.resolve(name);
    NativeFile.open(temporary, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE).close();
    return temporary;
  }

  private void rebuildAll(final Map<CommittedImage, Path> temporaries) throws IOException {
    final int threads = Math.clamp(images.size(), 1, THREADS);
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      final List<Future<Void>> rebuilt =
          temporaries.entrySet().stream()
              .map(entry -> executor.submit(() -> rebuild(entry.getKey(), entry.getValue())))
              .toList();
      try {
        for (final Future<Void> image : rebuilt) {
          image.get();
        }
      } finally {
        rebuilt.forEach(image -> image.cancel(false));
      }
    } catch (final ExecutionException e) {
      if (e.getCause() instanceof final IOException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the restore was interrupted", e);
    }
  }

  private Void rebuild(final CommittedImage image, final Path temporary) throws IOException {
    try (NativeFile file = NativeFile.open(temporary, Flag.WRITE)) {
      store.rebuild(commit, image, file);
      file.chmod(image.mode());
    }
    progress.add(image.size());
    return null;
  }

  private void rename(final Path temporary, final Path target) throws IOException {
    if (force) {
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    } else {
      Files.move(temporary, target);
    }
  }
}
