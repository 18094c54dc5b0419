package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.PosixException;
import org.sluice.core.store.StoreDirectory.CheckpointDirectory;

/** A store in a directory of a POSIX file system. */
public final class PosixStore implements CheckpointStore {
  private final StoreDirectory directory;
  private final CommitScan scan;
  private final SpareContainers spares;
  private final Garbage garbage;
  private final StoreOwner owner;
  private final StoreLock lock;
  private final SessionFiles files;

  /** Whether this process has made its node the owner. */
  private volatile boolean claimed;

  private PosixStore(final StoreDirectory directory) throws IOException {
    this.directory = directory;
    this.owner = new StoreOwner(directory, NodeIdentity.self(), directory.isShared());
    this.lock = new StoreLock(directory, owner);
    this.scan = new CommitScan(directory);
    this.spares = new SpareContainers(directory, scan);
    this.garbage = new Garbage(directory, scan, spares);
    this.files = new SessionFiles(directory, spares);
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
      try (NativeFile held = StoredFile.open(directory.format(), Flag.WRITE)) {
        held.lock();
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
   * When a process was last seen to use the store: a live I/O process says so every few seconds.
   *
   * @return by the clock of who did
   * @throws IOException when that cannot be found out
   */
  public Instant lastUsed() throws IOException {
    return directory.lastUsed();
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
    final Container container = swept(() -> files.createContainer(sessionId, node));
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
    return lock.hold(() -> files.resumeContainer(containerId, sessionId));
  }

  @Override
  public boolean discard(final long containerId) throws IOException {
    return swept(() -> spares.delete(directory.container(containerId)));
  }

  @Override
  public void renew() throws IOException {
    files.renew();
  }

  @Override
  public void discardSpares() throws IOException {
    lock.hold(
        () -> {
          garbage.sweep();
          spares.trim(0);
        });
  }

  @Override
  public List<Leftover> collectGarbage(final boolean dryRun, final Consumer<IOException> unreadable)
      throws IOException {
    return lock.hold(() -> garbage.collect(dryRun, unreadable));
  }

  @Override
  public NativeFile createImageFile() throws IOException {
    return files.createImage();
  }

  @Override
  public void keepImageFile(final NativeFile file) throws IOException {
    files.keepImage(file);
  }

  @Override
  public void commit(final Draft draft, final Consumer<Commit> durable) throws IOException {
    final CommitWriter writer = new CommitWriter(directory, draft);
    for (final long id : CommitWriter.containers(draft)) {
      files.sync(id);
    }
    // Taken back under the lock, as others sweep it as soon as its draft is deleted.
    final List<CommittedImage> images =
        orElse(() -> lock.hold(writer::abandon), () -> prepare(writer));
    lock.hold(
        () -> {
          final Commit commit =
              orElse(writer::abandon, () -> writer.publish(images, scan.nextSequence()));
          garbage.committed(directoryOf(commit));
          durable.accept(commit);
          garbage.supersede(commit);
          // Nobody reads a checkpoint before a restart, and the next one needs the memory.
          draft.images().forEach(image -> image.file().forget());
        });
  }

  private List<CommittedImage> prepare(final CommitWriter writer) throws IOException {
    lock.hold(writer::begin);
    return writer.prepare();
  }

  private static <T> T orElse(final StoreLock.Action undoing, final StoreLock.Step<T> step)
      throws IOException {
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

  @Override
  public List<Commit> commits(final Consumer<IOException> unreadable) throws IOException {
    return scan.newest(any -> true, unreadable);
  }

  /**
   * As {@link #commits(Consumer)}, for the removal of what is older. It waits for one that is just
   * being committed, which may fail still.
   *
   * @param unreadable told of each that is damaged or of another version
   * @return the others, the one committed first first, all of them durable
   * @throws IOException when they cannot be listed
   */
  public List<Commit> durableCommits(final Consumer<IOException> unreadable) throws IOException {
    return swept(() -> commits(unreadable));
  }

  @Override
  public Set<Long> numbers() throws IOException {
    return scan.numbers();
  }

  @Override
  public Optional<Commit> find(final long number) throws IOException {
    final List<IOException> failures = new ArrayList<>();
    final List<Commit> commits = scan.newest(d -> d.number() == number, failures::add);
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
    return commits.stream().findFirst();
  }

  @Override
  public boolean whileHeld(final Commit commit, final Reading reading) throws IOException {
    return directoryOf(commit).whileHeld(reading);
  }

  @Override
  public boolean remove(final Commit commit, final Farewell farewell) throws IOException {
    return swept(
        () -> {
          for (final Commit other : scan.commits(d -> d.number() == commit.number(), any -> {})) {
            if (other.sequence() < commit.sequence() && !directoryOf(other).removeUnlessRead()) {
              return false;
            }
          }
          return directoryOf(commit).removeUnlessRead(farewell);
        });
  }

  @Override
  public boolean removeUnreadable(final long number) throws IOException {
    return swept(
        () -> {
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
        });
  }

  @Override
  public List<CommittedImage> images(final Commit commit) throws IOException {
    return IndexCodec.read(directoryOf(commit).index(), commit.id());
  }

  @Override
  public Map<Integer, String> owners(final Commit commit) throws IOException {
    return directory.owners(directoryOf(commit));
  }

  @Override
  public void rebuild(final Commit commit, final CommittedImage image, final NativeFile target)
      throws IOException {
    try (ImageFile own = new ImageFile(directory.disk())) {
      final Path file = directoryOf(commit).image(image.ordinal());
      own.read(file, image.blocks(), target::pwrite);
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
      lock.hold(
          () -> {
            try (ImageFile copies = new ImageFile(directory.disk())) {
              for (final CheckpointDirectory checkpoint : scan.directories()) {
                copies.unshare(image, checkpoint);
              }
            }
          });
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
    files.close();
  }

  /** Holds the lock, once what killed processes began is ended. */
  private <T> T swept(final StoreLock.Step<T> step) throws IOException {
    return lock.hold(
        () -> {
          garbage.sweep();
          return step.run();
        });
  }

  private CheckpointDirectory directoryOf(final Commit commit) {
    return directory.checkpoint(commit.number(), commit.id());
  }
}
