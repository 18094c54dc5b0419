package org.sluice.core.store.directory;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.disk.FileMode;
import org.sluice.core.store.disk.FileOwners;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.model.Commit;

/**
 * The directory of a store, with the places of its parts.
 *
 * @param path path of the directory, absolute
 */
public record StoreDirectory(Path path, Disk disk) {
  private static final String NODE = "node";
  private static final String CONTAINERS = "containers";
  private static final String CHECKPOINTS = "checkpoints";
  private static final String STAGING = "staging";
  private static final Set<String> PARTS = Set.of(CONTAINERS, CHECKPOINTS, STAGING);
  private static final String HELD = "held";
  private static final String LOG = "log";
  private static final Pattern LOG_NAME = Pattern.compile("[0-9a-f]{16}");

  /** Checks that there may be a store, or that a store can be made. Changes nothing. */
  static StoreDirectory look(final Path path, final Disk disk) throws IOException {
    final StoreDirectory store = new StoreDirectory(path.toAbsolutePath().normalize(), disk);
    if (!Files.isDirectory(store.path)) {
      final Path parent = store.path.getParent();
      // The order of these questions matters, as another process may make the directory at this
      // moment.
      if (parent == null || Files.exists(store.path) && !Files.isDirectory(store.path)) {
        throw new NoStoreException(path + " is not a directory; give another --store");
      }
      if (!Files.isDirectory(parent)) {
        throw new NoStoreException(
            "cannot create the store %s: there is no directory %s; create it"
                .formatted(path, parent));
      }
    } else if (!store.format().exists()) {
      store.refuseForeign();
    }
    return store;
  }

  /** Makes a store of a directory that is missing or empty, or checks that it is a store. */
  public static StoreDirectory create(final Path path, final Disk disk) throws IOException {
    return create(path, disk, false);
  }

  /** Makes a store, or checks one, which may be a node's part of a series. */
  public static StoreDirectory create(final Path path, final Disk disk, final boolean part)
      throws IOException {
    final StoreDirectory store = look(path, disk);
    if (!Files.isDirectory(store.path)) {
      disk.createDirectory(store.path);
    }
    FileMode.in(store.path); // before the session begins
    if (!store.format().exists()) {
      disk.createDirectory(store.containers());
      disk.createDirectory(store.checkpoints());
      disk.createDirectory(store.staging());
      disk.syncDirectory(store.path, null);
      store.format().create(part); // last, so that no process ever sees half a store
    }
    store.check();
    for (final Path each : List.of(store.containers(), store.staging())) {
      disk.createDirectory(each); // a copy may lack empty directories
    }
    store.syncNames();
    return store;
  }

  /** Makes the names durable: a process that was killed may have made them. */
  private void syncNames() throws IOException {
    disk.syncDirectory(path, null);
    try {
      disk.syncDirectory(path.getParent(), null);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
    }
  }

  public static StoreDirectory open(final Path path) throws IOException {
    final StoreDirectory store = new StoreDirectory(path.toAbsolutePath().normalize(), Disk.REAL);
    if (!Files.isDirectory(store.path)) {
      throw new NoStoreException(
          "there is no store %s; check --store, or let sluice serve or run create it"
              .formatted(path));
    }
    store.check();
    return store;
  }

  /**
   * Returns the file that tells a store from any other directory. The file is locked while
   * checkpoints come and go.
   */
  public StoreFormat format() {
    return new StoreFormat(path, disk);
  }

  public ChangeCount changes() {
    return new ChangeCount(path, disk);
  }

  /** Returns the mark of the node that writes the store. */
  Path node() {
    return path.resolve(NODE);
  }

  public boolean isShared() throws IOException {
    try (NativeFile file = NativeFile.open(path, Flag.DIRECTORY)) {
      return file.isShared();
    }
  }

  public Path containers() {
    return path.resolve(CONTAINERS);
  }

  public Path container(final long id) {
    return containers().resolve(containerName(id));
  }

  public List<Path> containerFiles() throws IOException {
    return disk.list(containers()).stream()
        .filter(path -> path.getFileName().toString().endsWith(".data"))
        .toList();
  }

  public Path checkpoints() {
    return path.resolve(CHECKPOINTS);
  }

  /** Returns the entries with the name of a checkpoint's directory, committed or not. */
  public List<CheckpointDirectory> checkpointDirectories() throws IOException {
    final List<CheckpointDirectory> directories = new ArrayList<>();
    for (final Path entry : disk.list(checkpoints())) {
      CheckpointDirectory.of(entry, disk).ifPresent(directories::add);
    }
    return directories;
  }

  public CheckpointDirectory checkpoint(final long number, final long commitId) {
    return new CheckpointDirectory(
        checkpoints().resolve(checkpointName(number, commitId)), number, commitId, disk);
  }

  /**
   * Returns the names that a reader of a commit needs: files, and directories, which end in a
   * slash.
   */
  public static List<String> namesFor(final Commit commit) {
    final List<String> names = new ArrayList<>(List.of(StoreFormat.NAME, NODE));
    names.add("%s/%s/".formatted(CHECKPOINTS, checkpointName(commit.number(), commit.id())));
    commit
        .content()
        .containers()
        .forEach(id -> names.add("%s/%s".formatted(CONTAINERS, containerName(id))));
    return names;
  }

  private static String checkpointName(final long number, final long commitId) {
    return padded(number) + "-" + hex(commitId);
  }

  private static String containerName(final long id) {
    return hex(id) + ".data";
  }

  /** Returns a number of ten digits or more. */
  private static String padded(final long number) {
    final String digits = Long.toString(number);
    return "0".repeat(Math.max(0, 10 - digits.length())) + digits;
  }

  private static String hex(final long id) {
    return HexFormat.of().toHexDigits(id);
  }

  public Path staging() {
    return path.resolve(STAGING);
  }

  /**
   * Returns the directory for links of files that sessions have not open; missing before the first.
   */
  public Path held() {
    return path.resolve(HELD);
  }

  /** Returns the directory of the writing processes' commit logs; missing before the first. */
  public Path logs() {
    return path.resolve(LOG);
  }

  public Path log(final long id) {
    return logs().resolve(hex(id));
  }

  /** Returns the name of a damaged log that does not count any more. */
  public Path setAside(final Path log) {
    return logs().resolve(log.getFileName() + ".damaged");
  }

  public static long logId(final Path log) {
    return Long.parseUnsignedLong(log.getFileName().toString(), 16);
  }

  public List<Path> logFiles() throws IOException {
    return Files.exists(logs(), NOFOLLOW_LINKS)
        ? disk.list(logs()).stream()
            .filter(log -> LOG_NAME.matcher(log.getFileName().toString()).matches())
            .toList()
        : List.of();
  }

  /** Returns when a process was last seen to use the store, by the clock of that process. */
  public Instant lastUsed() throws IOException {
    Instant last = Instant.EPOCH;
    for (final Path parent : List.of(containers(), staging(), checkpoints())) {
      if (!Files.isDirectory(parent)) {
        continue; // the next run of a series has taken the files in it
      }
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

  /** Returns the users who could have changed a checkpoint: their names by their numbers. */
  public Map<Integer, String> owners(final CheckpointDirectory checkpoint) throws IOException {
    final Map<Integer, String> owners = new TreeMap<>();
    for (final Path part :
        List.of(
            path,
            checkpoints(),
            logs(),
            checkpoint.path(),
            checkpoint.manifest(),
            checkpoint.index())) {
      FileOwners.add(owners, part); // a log may have the whole checkpoint
    }
    return owners;
  }

  /**
   * Refuses a directory with foreign files. A directory of which another process has meanwhile made
   * a store may hold more than its parts.
   */
  private void refuseForeign() throws IOException {
    for (final Path entry : Names.in(path)) {
      final String name = entry.getFileName().toString();
      final boolean mine =
          PARTS.contains(name)
              || name.startsWith(StoreFormat.NAME)
              || name.startsWith(StorePlace.TRIAL);
      if (!mine && !format().exists()) {
        throw new NoStoreException(
            "%s is not a store, and holds %s; give a new or an empty directory"
                .formatted(path, name));
      }
    }
  }

  void check() throws IOException {
    format().check();
    for (final Path part : List.of(containers(), checkpoints(), staging())) {
      StoredFile.check(part, FileType.DIRECTORY); // a directory behind a link is not the store's
    }
    if (Files.exists(logs(), NOFOLLOW_LINKS)) {
      StoredFile.check(logs(), FileType.DIRECTORY);
    }
  }

  /** Returns whether no process has a file locked, and this process may take its lock. */
  public static boolean isUnlocked(final Path path) throws IOException {
    try (NativeFile file = StoredFile.open(path, Flag.WRITE)) {
      return file.tryLock();
    } catch (final DamagedException missingOrNoFile) {
      return true;
    } catch (final PosixException e) {
      e.throwUnless(Errno.EACCES);
      return false;
    }
  }
}
