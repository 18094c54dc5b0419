package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.openhft.chronicle.bytes.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.PosixException;
import org.sluice.core.store.StoreDirectory.CheckpointDirectory;

/** A store in a directory of a POSIX file system. */
public final class PosixStore implements CheckpointStore {
  private static final Logger LOG = LoggerFactory.getLogger(PosixStore.class);

  private final StoreDirectory directory;
  private final CommitScan scan;
  private final SpareContainers spares;
  private final Garbage garbage;
  private final StoreOwner owner;
  private final Map<Long, PosixContainer> openContainers = new ConcurrentHashMap<>();
  private final Set<Path> given = ConcurrentHashMap.newKeySet();
  private final Set<Path> imageFiles = ConcurrentHashMap.newKeySet();

  /** A part of a commit. */
  @FunctionalInterface
  private interface Step<T> {
    T run() throws IOException;
  }

  /** Takes back what a step that failed has done. */
  @FunctionalInterface
  private interface Undoing {
    void run() throws IOException;
  }

  /** Whether this process has made its node the owner. */
  private volatile boolean claimed;

  private PosixStore(final StoreDirectory directory) throws IOException {
    this.directory = directory;
    this.owner = new StoreOwner(directory, NodeIdentity.self(), directory.isShared());
    this.scan = new CommitScan(directory);
    this.spares = new SpareContainers(directory, scan, given::contains);
    this.garbage = new Garbage(directory, scan, spares);
  }

  /**
   * Opens a store for writing, and makes it if its directory is empty or missing. Ends the commits
   * and removals of killed processes.
   *
   * @param directory where it is; its parent must exist
   * @return the store
   * @throws NoStoreException when the parent is missing or the directory holds something else
   * @throws OtherNodeException when another node writes it
   * @throws IOException when that fails
   */
  public static PosixStore create(final Path directory) throws IOException {
    return create(directory, Disk.REAL);
  }

  static PosixStore create(final Path directory, final Disk disk) throws IOException {
    final PosixStore store = new PosixStore(StoreDirectory.create(directory, disk));
    store.claim();
    return store;
  }

  /**
   * Opens a store that may never be written, and makes it if its directory is empty or missing.
   *
   * @param directory where it is; its parent must exist
   * @return the store; {@link #claim} before writing
   * @throws NoStoreException when the parent is missing or the directory holds something else
   * @throws IOException when that fails
   */
  public static PosixStore createUnclaimed(final Path directory) throws IOException {
    return new PosixStore(StoreDirectory.create(directory, Disk.REAL));
  }

  @Override
  public void claim() throws IOException {
    if (!claimed) {
      try (NativeFile lock = StoredFile.open(directory.format(), Flag.WRITE)) {
        lock.lock();
        owner.claim();
        garbage.sweep();
        claimed = true;
      }
    }
  }

  /**
   * The node that writes the store.
   *
   * @return empty before one did
   * @throws IOException when that cannot be read
   */
  public Optional<NodeIdentity> owner() throws IOException {
    return owner.find();
  }

  /**
   * Makes this node the one that writes the store, whichever did. Nothing there may do so any more.
   *
   * @throws IOException when that fails
   */
  public void takeOver() throws IOException {
    owner.replace();
  }

  /**
   * When somebody was last seen to use the store: a live I/O process says so every few seconds.
   *
   * @return by the clock of who did
   * @throws IOException when that cannot be found out
   */
  public Instant lastUsed() throws IOException {
    Instant last = Instant.EPOCH;
    for (final Path parent :
        List.of(directory.containers(), directory.staging(), directory.checkpoints())) {
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

  /**
   * Opens a store that is there.
   *
   * @param directory where it is
   * @return the store
   * @throws NoStoreException when there is none
   * @throws FormatVersionException when it is of another version
   * @throws IOException when that fails
   */
  public static PosixStore open(final Path directory) throws IOException {
    return new PosixStore(StoreDirectory.open(directory));
  }

  @Override
  public Path directory() {
    return directory.path();
  }

  @Override
  public void leftAsFiles(final LeftAsFiles left) throws IOException {
    left.write(directory);
  }

  @Override
  public Optional<LeftAsFiles> leftAsFiles() throws IOException {
    return LeftAsFiles.read(directory);
  }

  @Override
  public Container createContainer(final long sessionId, final String node) throws IOException {
    final long id = Math.max(1, Entropy.nextLong() >>> 1);
    final Path path = directory.container(id);
    final PosixContainer container;
    try (NativeFile lock = format()) {
      lock.lock();
      garbage.sweep();
      spares.moveOne(path);
      container = PosixContainer.create(path, id, sessionId, node, directory.disk(), this::give);
      openContainers.put(id, container);
    }
    try {
      directory.disk().syncDirectory(directory.containers(), FaultPoint.DIRECTORY_FSYNC);
    } catch (final IOException e) {
      container.close();
      throw e;
    }
    return container;
  }

  @Override
  public Container resumeContainer(final long containerId, final long sessionId)
      throws IOException {
    final Path path = directory.container(containerId);
    try (NativeFile lock = format()) {
      lock.lock();
      ContainerReader.open(path, containerId, sessionId).close();
      final PosixContainer container = PosixContainer.resume(path, containerId, this::give);
      openContainers.put(containerId, container);
      return container;
    }
  }

  @Override
  public boolean discard(final long containerId) throws IOException {
    try (NativeFile lock = format()) {
      lock.lock();
      garbage.sweep();
      return spares.delete(directory.container(containerId));
    }
  }

  @Override
  public void renew() throws IOException {
    for (final long id : openContainers.keySet()) {
      renew(directory.container(id));
    }
    for (final Path file : imageFiles) {
      renew(file);
    }
  }

  private void renew(final Path file) throws IOException {
    try {
      Names.touch(file);
    } catch (final PosixException e) {
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
      LOG.debug("{} was deleted meanwhile", file);
      imageFiles.remove(file);
    }
  }

  @Override
  public void discardSpares() throws IOException {
    try (NativeFile lock = format()) {
      lock.lock();
      garbage.sweep();
      spares.trim(0);
    }
  }

  @Override
  public List<Leftover> collectGarbage(final boolean dryRun, final Consumer<IOException> unreadable)
      throws IOException {
    try (NativeFile lock = format()) {
      lock.lock();
      return garbage.collect(dryRun, unreadable);
    }
  }

  @Override
  public NativeFile createImageFile() throws IOException {
    final String name = "%016x".formatted(Entropy.nextLong());
    final Path path = directory.staging().resolve(name);
    final NativeFile file = directory.disk().open(path, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE);
    keepImageFile(file);
    return file;
  }

  /** Before it is locked, it is too young to be garbage. */
  @Override
  public void keepImageFile(final NativeFile file) throws IOException {
    if (file.opened().startsWith(directory.staging())) {
      file.tryLock();
      imageFiles.add(file.opened());
    }
  }

  @Override
  public void commit(final Draft draft, final Consumer<Commit> durable) throws IOException {
    final CommitWriter writer = new CommitWriter(directory, draft);
    for (final long id : CommitWriter.containers(draft)) {
      syncContainer(id);
    }
    final List<CommittedImage> images = orElse(() -> abandon(writer), () -> prepare(writer));
    try (NativeFile lock = format()) {
      lock.lock();
      final Commit commit = orElse(writer::abandon, () -> writer.publish(images, nextSequence()));
      garbage.committed(directoryOf(commit));
      durable.accept(commit);
      garbage.supersede(commit);
      forget(draft);
    }
  }

  private List<CommittedImage> prepare(final CommitWriter writer) throws IOException {
    try (NativeFile lock = format()) {
      lock.lock();
      writer.begin();
    }
    return writer.prepare();
  }

  /** Under the lock, as others sweep it as soon as its draft is deleted. */
  private void abandon(final CommitWriter writer) throws IOException {
    try (NativeFile lock = format()) {
      lock.lock();
      writer.abandon();
    }
  }

  private static <T> T orElse(final Undoing undoing, final Step<T> step) throws IOException {
    try {
      return step.run();
    } catch (final IOException e) {
      try {
        undoing.run();
      } catch (final IOException further) {
        e.addSuppressed(further);
      }
      throw e;
    }
  }

  private long nextSequence() throws IOException {
    final List<Commit> older = scan.commits(any -> true, unreadable -> {});
    return older.stream().mapToLong(Commit::sequence).max().orElse(0) + 1;
  }

  @Override
  public List<Commit> commits(final Consumer<IOException> unreadable) throws IOException {
    return newestOfEachNumber(scan.commits(any -> true, unreadable));
  }

  /**
   * As {@link #commits(Consumer)}, for whoever removes what is older: one that is just being
   * committed, which may fail still, is waited for.
   *
   * @param unreadable told of each that is damaged or of another version
   * @return the others, the one committed first first, all of them durable
   * @throws IOException when they cannot be listed
   */
  public List<Commit> durableCommits(final Consumer<IOException> unreadable) throws IOException {
    try (NativeFile lock = format()) {
      lock.lock();
      garbage.sweep();
      return commits(unreadable);
    }
  }

  @Override
  public Set<Long> numbers() throws IOException {
    return scan.directories().stream()
        .filter(CheckpointDirectory::isCommitted)
        .map(CheckpointDirectory::number)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Override
  public Optional<Commit> find(final long number) throws IOException {
    final List<IOException> failures = new ArrayList<>();
    final List<Commit> commits = scan.commits(d -> d.number() == number, failures::add);
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
    return newestOfEachNumber(commits).stream().findFirst();
  }

  @Override
  public boolean whileHeld(final Commit commit, final Reading reading) throws IOException {
    return directoryOf(commit).whileHeld(reading);
  }

  @Override
  public boolean remove(final Commit commit, final Farewell farewell) throws IOException {
    try (NativeFile lock = format()) {
      lock.lock();
      garbage.sweep();
      for (final Commit other : scan.commits(d -> d.number() == commit.number(), any -> {})) {
        if (other.sequence() < commit.sequence() && !directoryOf(other).removeUnlessRead()) {
          return false;
        }
      }
      return directoryOf(commit).removeUnlessRead(farewell);
    }
  }

  @Override
  public boolean removeUnreadable(final long number) throws IOException {
    try (NativeFile lock = format()) {
      lock.lock();
      garbage.sweep();
      final Set<Long> readable =
          scan.commits(d -> d.number() == number, any -> {}).stream()
              .map(Commit::id)
              .collect(Collectors.toSet());
      for (final CheckpointDirectory checkpoint : scan.directories()) {
        if (checkpoint.number() == number
            && checkpoint.isCommitted()
            && !readable.contains(checkpoint.commitId())
            && !checkpoint.removeUnlessRead()) {
          return false;
        }
      }
      return true;
    }
  }

  @Override
  public List<CommittedImage> images(final Commit commit) throws IOException {
    final Path path = directoryOf(commit).index();
    try (NativeFile file = StoredFile.open(path)) {
      StoredFile.checkSize(file, Runtime.getRuntime().maxMemory());
      final Bytes<Void> index = Bytes.allocateDirect(file.size());
      try {
        index.writePosition(StoredFile.read(file, index.addressForWrite(0), index.capacity(), 0));
        return IndexCodec.decode(path.toString(), commit.id(), index);
      } finally {
        index.releaseLast();
      }
    }
  }

  @Override
  public Map<Integer, String> owners(final Commit commit) throws IOException {
    final CheckpointDirectory checkpoint = directoryOf(commit);
    final Map<Integer, String> owners = new TreeMap<>();
    for (final Path part :
        List.of(
            directory.path(),
            directory.checkpoints(),
            checkpoint.path(),
            checkpoint.manifest(),
            checkpoint.index())) {
      owners.put(
          (Integer) Files.getAttribute(part, "unix:uid", LinkOption.NOFOLLOW_LINKS),
          Files.getOwner(part, LinkOption.NOFOLLOW_LINKS).getName());
    }
    return owners;
  }

  @Override
  public void rebuild(final Commit commit, final CommittedImage image, final NativeFile target)
      throws IOException {
    try (ImageFile files = new ImageFile(directory.disk())) {
      final Path file = directoryOf(commit).image(image.ordinal());
      files.read(file, image.blocks(), target::pwrite);
    }
    target.truncate(image.size());
    overlay(
        commit.sessionId(),
        image.chunks(),
        new ImageOverlay(image.imageId(), image.size(), target::pwrite));
  }

  @Override
  public void unshare(final NativeFile image) throws IOException {
    if (image.links() > 1) {
      try (NativeFile lock = format();
          ImageFile files = new ImageFile(directory.disk())) {
        lock.lock();
        for (final CheckpointDirectory checkpoint : scan.directories()) {
          files.unshare(image, checkpoint);
        }
      }
    }
  }

  @Override
  public void overlay(
      final long sessionId, final List<ChunkLocation> chunks, final ImageOverlay overlay)
      throws IOException {
    try (ContainerReaders containers = new ContainerReaders(directory, sessionId)) {
      for (final ChunkLocation chunk : chunks.reversed()) {
        overlay.addOlder(containers.read(chunk));
      }
    }
  }

  @Override
  public void verify(
      final Commit commit, final Consumer<IOException> damage, final LongConsumer progress)
      throws IOException {
    try {
      new CheckpointVerifier(directory, commit, damage, progress).verify(images(commit));
    } catch (final DamagedException | FormatVersionException | PosixException e) {
      damage.accept(e);
    }
  }

  @Override
  public void close() throws IOException {
    for (final PosixContainer container : openContainers.values()) {
      container.close();
    }
  }

  /**
   * Locked while manifests and containers come and go, so that they stay as they were found. Each
   * time the owner is asked for anew, as a user may have given the store to another node.
   */
  private NativeFile format() throws IOException {
    owner.check();
    return StoredFile.open(directory.format(), Flag.WRITE);
  }

  private CheckpointDirectory directoryOf(final Commit commit) {
    return directory.checkpoint(commit.number(), commit.id());
  }

  /** Whoever had the container open needs it no more. */
  private void give(final long containerId) {
    openContainers.remove(containerId);
    given.add(directory.container(containerId));
  }

  private void syncContainer(final long id) throws IOException {
    final PosixContainer container = openContainers.get(id);
    if (container == null) {
      throw new IllegalArgumentException("container %016x is not open".formatted(id));
    }
    container.sync();
  }

  /** Nobody reads a checkpoint before a restart, and the next one needs the memory. */
  private static void forget(final Draft draft) {
    draft.images().forEach(image -> image.file().forget());
  }

  private static List<Commit> newestOfEachNumber(final List<Commit> commits) {
    return commits.stream()
        .collect(
            Collectors.toMap(
                Commit::number,
                commit -> commit,
                BinaryOperator.maxBy(Comparator.comparingLong(Commit::sequence))))
        .values()
        .stream()
        .sorted(Comparator.comparingLong(Commit::sequence))
        .toList();
  }
}
