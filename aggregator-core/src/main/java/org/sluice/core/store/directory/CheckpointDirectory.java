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

/** The directory of a checkpoint, with the places of its parts. */
public record CheckpointDirectory(Path path, long number, long commitId, Disk disk) {
  private static final Pattern NAME = Pattern.compile("(\\d{10}|[1-9]\\d{10,17})-([0-9a-f]{16})");

  /** Returns the checkpoint of a directory's name; empty for any other name. */
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

  /**
   * Returns whether the checkpoint is committed; true also when that cannot be found out, so that
   * reading the manifest says why.
   */
  public boolean isCommitted() {
    return !Files.notExists(manifest(), NOFOLLOW_LINKS) || isForeign();
  }

  /** Returns whether the entry of its name is no directory; a link to an archive is a directory. */
  boolean isForeign() {
    return !Files.isDirectory(path) && Files.exists(path);
  }

  /**
   * Returns the file that becomes the manifest. The process about to commit the checkpoint locks
   * it.
   */
  public Path draft() {
    return path.resolve("manifest.tmp");
  }

  /**
   * Returns whether the remains show that the checkpoint was committed. A process that makes or
   * removes a checkpoint keeps a draft there until the index is gone.
   */
  public boolean hasLostManifest() {
    return Files.notExists(draft(), NOFOLLOW_LINKS)
        && !isCommitted()
        && Files.notExists(draft(), NOFOLLOW_LINKS)
        && Files.exists(index(), NOFOLLOW_LINKS);
  }

  /** Returns whether no process is about to commit the checkpoint. */
  public boolean isAbandoned() throws IOException {
    return StoreDirectory.isUnlocked(draft());
  }

  /** Returns whether no process reads the checkpoint. */
  public boolean isUnread() throws IOException {
    return StoreDirectory.isUnlocked(manifest());
  }

  /** Returns the file whose presence says that a file joined the checkpoint after its commit. */
  private Path incomplete() {
    return path.resolve("incomplete");
  }

  /**
   * Returns whether a file joined the checkpoint after its commit; true also when that cannot be
   * found out.
   */
  public boolean isIncomplete() {
    return !Files.notExists(incomplete(), NOFOLLOW_LINKS);
  }

  /** Records durably that a file joined the checkpoint. */
  public void markIncomplete() throws IOException {
    disk.open(incomplete(), Flag.WRITE, Flag.CREATE).close();
    disk.syncDirectory(path, FaultPoint.DIRECTORY_FSYNC);
  }

  public Path index() {
    return path.resolve("index");
  }

  /**
   * Writes manifest and index from a log in place of any files there, not durably yet.
   *
   * @param index empty where its file is there, durably
   */
  public void write(final byte[] manifest, final byte[] index) throws IOException {
    disk.createDirectory(path);
    if (index.length > 0) {
      write(index(), path.resolve("index.tmp"), index);
    }
    write(manifest(), draft(), manifest);
  }

  /**
   * An existing file stays the same file, as a reader may have its lock. The write is made even if
   * the file has these bytes: after a failed sync they may be in memory alone. No process reads the
   * file while its bytes differ, since the log's record counts until it is durable here.
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

  /** Makes the files of {@link #write} durable, but not the directory's own name. */
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

  /** Returns the own files of its images, in no order. */
  public List<FileStatus> imageFiles() throws IOException {
    final List<FileStatus> files = new ArrayList<>();
    if (Files.isDirectory(images())) {
      for (final Path file : Names.in(images())) {
        files.add(FileStatus.of(file.toString()));
      }
    }
    return files;
  }

  public StoredFile.Opening file(final CommittedImage image) {
    return image.isInPlace()
        ? flags -> StoredFile.openInPlace(image.sharing().file(), flags)
        : StoredFile.at(image(image.ordinal()));
  }

  public Path image(final int ordinal) {
    return images().resolve(Integer.toString(ordinal));
  }

  /** Returns the own file of an image's holder. */
  public Path image(final int ordinal, final int holder) {
    return images().resolve(ordinal + "." + holder);
  }

  /**
   * Reads the checkpoint and keeps it from being removed. Returns false when it is removed already.
   */
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
   * Deletes the checkpoint, unless a process reads it or a farewell right before prevents it. The
   * manifest goes first, and durably: the bytes that it names may be overwritten from here on.
   */
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

  /** Opens the manifest; null when there is no readable file of its name. */
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

  /** Makes a draft of the manifest, so that it is not missed. */
  private void uncommit() throws IOException {
    if (Files.exists(manifest(), NOFOLLOW_LINKS)) {
      disk.rename(manifest(), draft(), FaultPoint.MANIFEST_REMOVE);
    }
  }

  /**
   * Deletes the remains of the checkpoint. A process that died removed its manifest, or never wrote
   * it.
   */
  public void sweep() throws IOException {
    if (Files.exists(path)) {
      disk.syncDirectory(path, FaultPoint.REMOVAL_FSYNC);
      delete();
    }
  }

  /** Deletes an uncommitted checkpoint. */
  public void delete() throws IOException {
    disk.delete(index(), null); // before the draft
    disk.deleteAll(path);
  }

  // These methods are written out, as the JVM links those of a record anew at each start, which
  // takes milliseconds.

  @Override
  public boolean equals(final Object other) {
    return other instanceof final CheckpointDirectory directory
        && directory.number == number
        && directory.commitId == commitId
        && directory.path.equals(path)
        && directory.disk.equals(disk);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(number) * 31 + Long.hashCode(commitId);
  }
}
