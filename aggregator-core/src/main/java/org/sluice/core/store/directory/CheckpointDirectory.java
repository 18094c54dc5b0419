package org.sluice.core.store.directory;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.model.CommittedImage;

/**
 * Where the parts of a checkpoint are.
 *
 * @param path its directory
 * @param number its number
 * @param commitId its commit's id
 * @param disk how they are changed
 */
public record CheckpointDirectory(Path path, long number, long commitId, Disk disk) {
  private static final Pattern NAME = Pattern.compile("(\\d{10}|[1-9]\\d{10,17})-([0-9a-f]{16})");

  /** Tells what a directory's name says; empty when it is not the name of a checkpoint. */
  static Optional<CheckpointDirectory> of(final Path path, final Disk disk) {
    final Matcher name = NAME.matcher(path.getFileName().toString());
    return name.matches()
        ? Optional.of(
            new CheckpointDirectory(
                path,
                Long.parseLong(name.group(1)),
                Long.parseUnsignedLong(name.group(2), 16),
                disk))
        : Optional.empty();
  }

  public Path manifest() {
    return path.resolve("manifest.json");
  }

  /** Also when that cannot be told, so that reading the manifest says why. */
  public boolean isCommitted() {
    return !Files.notExists(manifest(), NOFOLLOW_LINKS) || isForeign();
  }

  /** Whether what has its name is no directory; a link to an archive is one. */
  boolean isForeign() {
    return !Files.isDirectory(path) && Files.exists(path);
  }

  /** What becomes the manifest; locked by the process that is about to commit the checkpoint. */
  public Path draft() {
    return path.resolve("manifest.tmp");
  }

  /**
   * Whether what is left of it says that it was committed: who makes or removes one has a draft
   * there until the index is gone.
   */
  public boolean hasLostManifest() {
    return Files.notExists(draft(), NOFOLLOW_LINKS)
        && !isCommitted()
        && Files.notExists(draft(), NOFOLLOW_LINKS)
        && Files.exists(index(), NOFOLLOW_LINKS);
  }

  /** Whether nobody is about to commit it. */
  public boolean isAbandoned() throws IOException {
    return StoreDirectory.isUnlocked(draft());
  }

  /** Whether nobody reads it. */
  public boolean isUnread() throws IOException {
    return StoreDirectory.isUnlocked(manifest());
  }

  /** Its presence says that a file joined the checkpoint after its commit. */
  private Path incomplete() {
    return path.resolve("incomplete");
  }

  /** Also when that cannot be told. */
  public boolean isIncomplete() {
    return !Files.notExists(incomplete(), NOFOLLOW_LINKS);
  }

  /** Says durably that a file joined it. */
  public void markIncomplete() throws IOException {
    disk.open(incomplete(), Flag.WRITE, Flag.CREATE).close();
    disk.syncDirectory(path, FaultPoint.DIRECTORY_FSYNC);
  }

  public Path index() {
    return path.resolve("index");
  }

  /** Writes what a log says of it in the place of whatever is there, not durably yet. */
  public void write(final byte[] manifest, final byte[] index) throws IOException {
    disk.createDirectory(path);
    write(index(), path.resolve("index.tmp"), index);
    write(manifest(), draft(), manifest);
  }

  /**
   * A file that is there stays the same one, as a reader may have its lock. It is written to even
   * if it has these bytes: a sync that failed may have left them in memory alone. Nobody reads it
   * while it has others, since what a log says counts until it is durable here.
   */
  private void write(final Path name, final Path temporary, final byte[] bytes) throws IOException {
    final boolean there = Files.isRegularFile(name, NOFOLLOW_LINKS);
    try (NativeFile file =
        there
            ? disk.open(name, Flag.WRITE)
            : disk.open(temporary, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE)) {
      Disk.write(file, bytes);
      if (file.size() > bytes.length) {
        file.truncate(bytes.length);
      }
    }
    if (!there) {
      disk.rename(temporary, name, null);
    }
  }

  /** Makes durable what {@link #write} has written, but for the directory's own name. */
  public void sync() throws IOException {
    for (final Path part : List.of(index(), manifest())) {
      try (NativeFile file = disk.open(part, Flag.WRITE)) {
        file.syncAll();
      }
    }
    disk.syncDirectory(path, null);
  }

  public Path images() {
    return path.resolve("images");
  }

  /** Its images' own files; in no order. */
  public List<FileStatus> imageFiles() throws IOException {
    final List<FileStatus> files = new ArrayList<>();
    if (Files.isDirectory(images())) {
      for (final Path file : Names.in(images())) {
        files.add(FileStatus.of(file.toString()));
      }
    }
    return files;
  }

  /** Where an image's own file is. */
  public StoredFile.Opening file(final CommittedImage image) {
    return image.isInPlace()
        ? flags -> StoredFile.openInPlace(image.sharing().file(), flags)
        : StoredFile.at(image(image.ordinal()));
  }

  public Path image(final int ordinal) {
    return images().resolve(Integer.toString(ordinal));
  }

  /** The own file of one of its holders. */
  public Path image(final int ordinal, final int holder) {
    return images().resolve(ordinal + "." + holder);
  }

  /** Reads the checkpoint and keeps it from being removed; false when it is removed already. */
  public boolean whileHeld(final Fault.Step<IOException> reading) throws IOException {
    try (NativeFile manifest = StoredFile.open(manifest())) {
      if (!manifest.tryLockShared() || !manifest.isAt(manifest())) {
        return false;
      }
      reading.run();
      return true;
    } catch (final IOException e) {
      if (Files.notExists(manifest(), NOFOLLOW_LINKS)) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Deletes the checkpoint, unless a process reads it. The manifest goes first, and durably: what
   * it names may be overwritten from here on.
   */
  public boolean removeUnlessRead() throws IOException {
    return removeUnlessRead(() -> true);
  }

  /** The same, right behind a farewell that may still prevent it. */
  public boolean removeUnlessRead(final Farewell farewell) throws IOException {
    if (isForeign()) {
      if (!farewell.run()) {
        return false;
      }
      disk.delete(path, FaultPoint.MANIFEST_REMOVE);
      disk.syncDirectory(path.getParent(), FaultPoint.REMOVAL_FSYNC);
      return true;
    }
    try (NativeFile manifest = openManifest()) {
      if (manifest != null && !manifest.tryLock() || !farewell.run()) {
        return false;
      }
      if (manifest != null || Files.exists(path)) {
        removeAnyhow();
      }
      return true;
    }
  }

  /** Null when what has its name, if anything, is no file that can be read. */
  private NativeFile openManifest() throws IOException {
    try {
      return StoredFile.open(manifest(), Flag.WRITE);
    } catch (final DamagedException missingOrNoFile) {
      return null;
    }
  }

  /** Deletes the checkpoint, even while a process reads it. */
  public void removeAnyhow() throws IOException {
    if (Files.isDirectory(manifest(), NOFOLLOW_LINKS)) {
      disk.deleteAll(manifest());
    }
    uncommit();
    disk.syncDirectory(path, FaultPoint.REMOVAL_FSYNC);
    Fault.at(FaultPoint.CHECKPOINT_DELETE, "delete " + path, this::delete);
  }

  /** Its manifest becomes a draft, so that it is not missed. */
  private void uncommit() throws IOException {
    if (Files.exists(manifest(), NOFOLLOW_LINKS)) {
      disk.rename(manifest(), draft(), FaultPoint.MANIFEST_REMOVE);
    }
  }

  /** Deletes what is left of it; a process that died removed its manifest, or never wrote one. */
  public void sweep() throws IOException {
    if (Files.exists(path)) {
      disk.syncDirectory(path, FaultPoint.REMOVAL_FSYNC);
      delete();
    }
  }

  /** Deletes what is not committed. */
  public void delete() throws IOException {
    disk.delete(index(), null); // before the draft
    disk.deleteAll(path);
  }
}
