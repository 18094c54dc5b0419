package org.sluice.core.store;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.PosixException;

/**
 * Where the parts of a store are.
 *
 * @param path the store's directory, absolute
 * @param disk how they are changed
 */
record StoreDirectory(Path path, Disk disk) {
  private static final String NODE = "node";
  private static final String CONTAINERS = "containers";
  private static final String CHECKPOINTS = "checkpoints";
  private static final String STAGING = "staging";
  private static final Set<String> PARTS = Set.of(CONTAINERS, CHECKPOINTS, STAGING);
  private static final String HELD = "held";

  /** Makes a store of a directory that is missing or empty, or finds that it is one. */
  static StoreDirectory create(final Path path, final Disk disk) throws IOException {
    final StoreDirectory store = new StoreDirectory(path.toAbsolutePath().normalize(), disk);
    if (!Files.isDirectory(store.path)) {
      final Path parent = store.path.getParent();
      // Asked in this order, as another process may make it at this moment.
      if (parent == null || Files.exists(store.path) && !Files.isDirectory(store.path)) {
        throw new NoStoreException(path + " is not a directory; give another --store");
      }
      if (!Files.isDirectory(parent)) {
        throw new NoStoreException(
            "cannot create the store %s: there is no directory %s; create it"
                .formatted(path, parent));
      }
      disk.createDirectory(store.path);
    }
    if (!store.format().exists()) {
      store.refuseForeign();
      disk.createDirectory(store.containers());
      disk.createDirectory(store.checkpoints());
      disk.createDirectory(store.staging());
      disk.syncDirectory(store.path, null);
      store.format().create(); // last, so that no process ever sees half a store
    }
    store.check();
    store.syncNames();
    return store;
  }

  /** A process that was killed may have made them. */
  private void syncNames() throws IOException {
    disk.syncDirectory(path, null);
    try {
      disk.syncDirectory(path.getParent(), null);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
    }
  }

  /** Finds a store. */
  static StoreDirectory open(final Path path) throws IOException {
    final StoreDirectory store = new StoreDirectory(path.toAbsolutePath().normalize(), Disk.REAL);
    if (!Files.isDirectory(store.path)) {
      throw new NoStoreException(
          "there is no store %s; check --store, or let sluice serve or run create it"
              .formatted(path));
    }
    store.check();
    return store;
  }

  /** What tells a store from any other directory; locked while checkpoints come and go. */
  StoreFormat format() {
    return new StoreFormat(path, disk);
  }

  /** Counts the changes of its checkpoints. */
  ChangeCount changes() {
    return new ChangeCount(path, disk);
  }

  /** The mark of the node that writes the store. */
  Path node() {
    return path.resolve(NODE);
  }

  /** Whether other nodes may use its file system. */
  boolean isShared() throws IOException {
    try (NativeFile file = NativeFile.open(path, Flag.DIRECTORY)) {
      return file.isShared();
    }
  }

  Path containers() {
    return path.resolve(CONTAINERS);
  }

  Path container(final long id) {
    return containers().resolve("%016x.data".formatted(id));
  }

  /** The containers. */
  List<Path> containerFiles() throws IOException {
    return disk.list(containers()).stream()
        .filter(path -> path.getFileName().toString().endsWith(".data"))
        .toList();
  }

  Path checkpoints() {
    return path.resolve(CHECKPOINTS);
  }

  /** What has the name of a checkpoint's directory, committed or not. */
  List<CheckpointDirectory> checkpointDirectories() throws IOException {
    final List<CheckpointDirectory> directories = new ArrayList<>();
    for (final Path entry : disk.list(checkpoints())) {
      CheckpointDirectory.of(entry, disk).ifPresent(directories::add);
    }
    return directories;
  }

  CheckpointDirectory checkpoint(final long number, final long commitId) {
    return new CheckpointDirectory(
        checkpoints().resolve("%010d-%016x".formatted(number, commitId)), number, commitId, disk);
  }

  Path staging() {
    return path.resolve(STAGING);
  }

  /** Links of files that sessions have not open; not there before the first. */
  Path held() {
    return path.resolve(HELD);
  }

  /** When a process was last seen to use it, by the clock of that one. */
  Instant lastUsed() throws IOException {
    Instant last = Instant.EPOCH;
    for (final Path parent : List.of(containers(), staging(), checkpoints())) {
      try (Stream<Path> files = Files.list(parent)) {
        for (final Path file : Stream.concat(Stream.of(parent), files).toList()) {
          final Instant modified = Files.getLastModifiedTime(file).toInstant();
          last = modified.isAfter(last) ? modified : last;
        }
      } catch (final NoSuchFileException deletedMeanwhile) {
        return Instant.now();
      }
    }
    return last;
  }

  /** Who could have changed a checkpoint: users' names by their numbers. */
  Map<Integer, String> owners(final CheckpointDirectory checkpoint) throws IOException {
    final Map<Integer, String> owners = new TreeMap<>();
    for (final Path part :
        List.of(
            path, checkpoints(), checkpoint.path(), checkpoint.manifest(), checkpoint.index())) {
      owners.put(
          (Integer) Files.getAttribute(part, "unix:uid", NOFOLLOW_LINKS),
          Files.getOwner(part, NOFOLLOW_LINKS).getName());
    }
    return owners;
  }

  /** What another process made of it meanwhile is a store, and may hold more than its parts. */
  private void refuseForeign() throws IOException {
    for (final Path entry : Names.in(path)) {
      final String name = entry.getFileName().toString();
      final boolean mine = PARTS.contains(name) || name.startsWith(StoreFormat.NAME);
      if (!mine && !format().exists()) {
        throw new NoStoreException(
            "%s is not a store, and holds %s; give a new or an empty directory"
                .formatted(path, name));
      }
    }
  }

  private void check() throws IOException {
    format().check();
    for (final Path part : List.of(containers(), checkpoints(), staging())) {
      StoredFile.check(part, FileType.DIRECTORY); // what lies behind a link is not the store's
    }
  }

  /** Whether nobody has a file locked, and this process may take its lock. */
  static boolean isUnlocked(final Path path) throws IOException {
    try (NativeFile file = StoredFile.open(path, Flag.WRITE)) {
      return file.tryLock();
    } catch (final DamagedException missingOrNoFile) {
      return true;
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
      return false;
    }
  }

  /**
   * Where the parts of a checkpoint are.
   *
   * @param path its directory
   * @param number its number
   * @param commitId its commit's id
   * @param disk how they are changed
   */
  record CheckpointDirectory(Path path, long number, long commitId, Disk disk) {
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

    Path manifest() {
      return path.resolve("manifest.json");
    }

    /** Also when that cannot be told, so that reading the manifest says why. */
    boolean isCommitted() {
      return !Files.notExists(manifest(), NOFOLLOW_LINKS) || isForeign();
    }

    /** Whether what has its name is no directory; a link to an archive is one. */
    boolean isForeign() {
      return !Files.isDirectory(path) && Files.exists(path);
    }

    /** What becomes the manifest; locked by the process that is about to commit the checkpoint. */
    Path draft() {
      return path.resolve("manifest.tmp");
    }

    /** Whether nobody is about to commit it. */
    boolean isAbandoned() throws IOException {
      return isUnlocked(draft());
    }

    /** Whether nobody reads it. */
    boolean isUnread() throws IOException {
      return isUnlocked(manifest());
    }

    /** Its presence says that a file joined the checkpoint after its commit. */
    private Path incomplete() {
      return path.resolve("incomplete");
    }

    /** Also when that cannot be told. */
    boolean isIncomplete() {
      return !Files.notExists(incomplete(), NOFOLLOW_LINKS);
    }

    /** Says durably that a file joined it. */
    void markIncomplete() throws IOException {
      disk.open(incomplete(), Flag.WRITE, Flag.CREATE).close();
      disk.syncDirectory(path, FaultPoint.DIRECTORY_FSYNC);
    }

    Path index() {
      return path.resolve("index");
    }

    Path images() {
      return path.resolve("images");
    }

    /** Its images' own files; in no order. */
    List<FileStatus> imageFiles() throws IOException {
      final List<FileStatus> files = new ArrayList<>();
      if (Files.isDirectory(images())) {
        for (final Path file : Names.in(images())) {
          files.add(FileStatus.of(file.toString()));
        }
      }
      return files;
    }

    Path image(final int ordinal) {
      return images().resolve(Integer.toString(ordinal));
    }

    /** Reads the checkpoint and keeps it from being removed; false when it is removed already. */
    boolean whileHeld(final Fault.Step<IOException> reading) throws IOException {
      try (NativeFile manifest = StoredFile.open(manifest())) {
        if (!manifest.tryLockShared() || manifest.links() == 0) {
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
    boolean removeUnlessRead() throws IOException {
      return removeUnlessRead(() -> true);
    }

    /** The same, right behind a farewell that may still prevent it. */
    boolean removeUnlessRead(final PosixStore.Farewell farewell) throws IOException {
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
    void removeAnyhow() throws IOException {
      if (Files.isDirectory(manifest(), NOFOLLOW_LINKS)) {
        disk.deleteAll(manifest());
      }
      disk.delete(manifest(), FaultPoint.MANIFEST_REMOVE);
      disk.syncDirectory(path, FaultPoint.REMOVAL_FSYNC);
      Fault.at(FaultPoint.CHECKPOINT_DELETE, "delete " + path, this::delete);
    }

    /** Deletes what is left of it; a process that died removed its manifest, or never wrote one. */
    void sweep() throws IOException {
      if (Files.exists(path)) {
        disk.syncDirectory(path, FaultPoint.REMOVAL_FSYNC);
        delete();
      }
    }

    /** Deletes what is not committed. */
    void delete() throws IOException {
      disk.deleteAll(path);
    }
  }
}
