package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.Speaker;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.Farewell;
import org.sluice.core.store.directory.LeftAsFiles;
import org.sluice.core.store.directory.OtherNodeException;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.log.CommitLogs;
import org.sluice.core.store.model.Commit;

/**
 * A store of checkpoints in a directory of a POSIX file system. Thread-safe; several processes may
 * use one store at a time.
 */
public final class PosixStore extends PosixReader {
  private final CommitLogs logs;
  private final Catalogue catalogue;
  private final SpareContainers spares;
  private final Garbage garbage;
  private final StoreLock lock;
  private final SessionFiles files;
  private final Publication publication;

  /** True once this process has made its node the owner. */
  private volatile boolean claimed;

  private PosixStore(final StoreDirectory directory) throws IOException {
    super(directory);
    this.logs = new CommitLogs(directory);
    this.catalogue = new Catalogue(directory, logs);
    this.lock = new StoreLock(directory, owner, catalogue);
    this.spares = new SpareContainers(directory, catalogue, logs);
    this.garbage = new Garbage(directory, catalogue, logs, spares);
    this.files = new SessionFiles(directory, spares, profile());
    this.publication = new Publication(directory, lock, catalogue, logs, garbage, files);
  }

  /**
   * Opens a store for writing, made if missing. Ends commits and removals of killed processes.
   *
   * @param directory where it is; its parent must exist
   * @throws NoStoreException when the parent is missing or the directory holds something else
   * @throws OtherNodeException when another node writes it
   */
  public static PosixStore create(final Path directory) throws IOException {
    return create(directory, Disk.REAL, false);
  }

  public static PosixStore createPart(final Path directory) throws IOException {
    return create(directory, Disk.REAL, true);
  }

  static PosixStore create(final Path directory, final Disk disk, final boolean part)
      throws IOException {
    final PosixStore store = new PosixStore(StoreDirectory.create(directory, disk, part));
    store.claim();
    return store;
  }

  /**
   * Opens a store that may never be written, and makes it if its directory is empty or missing.
   *
   * @param directory where it is; its parent must exist
   * @return the store; {@link #claim} before writing
   * @throws IOException as {@link #create}
   */
  public static PosixStore createUnclaimed(final Path directory) throws IOException {
    return new PosixStore(StoreDirectory.create(directory, Disk.REAL));
  }

  /**
   * Makes this node the one that writes the store; to be called before anything of a checkpoint is
   * written. Doing it again does nothing.
   *
   * @throws OtherNodeException when another node writes it
   */
  public void claim() throws IOException {
    if (!claimed) {
      lock.holdAnyhow(
          () -> {
            owner.claim();
            catalogue.changing(); // the store is of this version from here on, and has a count
            garbage.sweep();
            garbage.dropHeld();
            claimed = true;
            return null;
          });
    }
  }

  public static PosixStore open(final Path directory) throws IOException {
    return new PosixStore(StoreDirectory.open(directory));
  }

  /** Keeps in mind where a session has left files that no checkpoint has. */
  public void leftAsFiles(final LeftAsFiles left) throws IOException {
    left.write(directory);
  }

  /**
   * Makes a container: of the blocks of one that nobody needs any more, or else a new one. Blocks
   * that were written before take others faster than new ones.
   */
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

  /**
   * Opens a container of a session that goes on, as {@link #createContainer} left it.
   *
   * @throws DamagedException when it is another one's by now
   */
  public Container resumeContainer(final long containerId, final long sessionId)
      throws IOException {
    return lock.hold(() -> files.resumeContainer(containerId, sessionId));
  }

  /**
   * Deletes a container, unless a committed checkpoint refers to it or a process still appends to
   * it. Returns whether it is gone.
   */
  public boolean discard(final long containerId) throws IOException {
    return swept(() -> spares.deleteIfSpare(directory.container(containerId)));
  }

  /**
   * Says that the open containers and image files are in use. Other processes leave them alone for
   * a minute after that even when this process is killed. To be called every few seconds; any
   * thread.
   */
  public void renew() throws IOException {
    files.renew();
  }

  public void discardSpares() throws IOException {
    lock.hold(
        () -> {
          garbage.sweep();
          garbage.dropHeld();
          spares.trim(0);
        });
  }

  /**
   * Removes what no committed checkpoint needs and no live process uses, see {@link Leftover.Kind}.
   *
   * @param unreadable told of each manifest that is damaged or of another version, while which all
   *     containers stay, and of what is no file where only files of this store belong, and stays
   */
  List<Leftover> collectGarbage(final boolean dryRun, final Consumer<IOException> unreadable)
      throws IOException {
    return lock.hold(() -> garbage.collect(dryRun, unreadable));
  }

  /**
   * Goes on without the damaged commit logs of dead processes: makes durable what can be read of
   * each, and gives it a name that does not count. Bytes that only a damaged record had are lost.
   */
  List<Leftover> setAsideDamagedLogs(final boolean dryRun) throws IOException {
    return lock.hold(() -> garbage.setAsideDamagedLogs(dryRun));
  }

  /**
   * Creates an empty file for an image of a checkpoint in the making. The file is no garbage while
   * it is open.
   *
   * @return open for writing; the caller closes and deletes it, after the commit at the latest
   */
  public NativeFile createImageFile() throws IOException {
    return files.createImage();
  }

  /**
   * Takes over an image file of a session that goes on.
   *
   * @param file what {@link #createImageFile} returned in a killed process, opened again; nothing
   *     is done with any other file
   */
  public void keepImageFile(final NativeFile file) throws IOException {
    files.keepImage(file);
  }

  /**
   * Takes over an image file of a session that goes on, without opening it.
   *
   * @param path what {@link #createImageFile} has made; nothing is done with any other file
   */
  public void keepImageFile(final String path) {
    files.keepImage(path);
  }

  /** The links by which a session holds files that it has not open. */
  public HeldLinks heldLinks(final long sessionId) {
    return files.held(sessionId);
  }

  /**
   * Returns whether this process has a commit log, which its first commit makes. Any thread.
   *
   * @return false as long as it committed nothing and {@link #prepareCommits} was not called
   */
  public boolean hasCommitLog() {
    return logs.isOpen();
  }

  /**
   * Makes the next commits short: they need a commit log, and room in it. Deletes what spare
   * containers the last one left. To be called between commits, when nobody waits.
   *
   * @throws IOException when that fails; commits take longer then
   */
  public void prepareCommits() throws IOException {
    if (claimed) {
      lock.hold(logs::prepare);
      lock.hold(spares::trimAgain);
    }
  }

  /**
   * Commits a checkpoint: on return it is on stable storage and supersedes any older one of its
   * number. The containers of its chunks must be open, and this store's.
   *
   * @param durable told of it as soon as it is on stable storage, before what it supersedes is
   *     deleted; not called when the commit fails
   * @throws IOException when that fails; then nothing is committed
   */
  public void commit(final Draft draft, final Consumer<Commit> durable) throws IOException {
    publication.commit(draft, durable);
  }

  /**
   * Says durably that a file has joined a checkpoint after its commit, so that it is no newest one.
   *
   * @return false when it is not in the store any more
   * @throws IOException when that fails; it may count as the newest still
   */
  public boolean markIncomplete(final long number, final long commitId) throws IOException {
    return publication.markIncomplete(directory.checkpoint(number, commitId));
  }

  /**
   * Lists commits as {@link #commits(Consumer)} does, behind the commit that is just under way,
   * which may fail still.
   *
   * @param unreadable told of each that is damaged or of another version
   * @return the others, the one committed first first, all of them durable
   */
  List<Commit> durableCommits(final Consumer<IOException> unreadable) throws IOException {
    return swept(() -> commits(unreadable));
  }

  /**
   * Removes a committed checkpoint, its manifest first and durably, and before it what it
   * superseded.
   *
   * @return false when a process {@linkplain #whileHeld reads} it: it stays then
   * @throws IOException when that fails; what is left of it is not committed, or it still is
   */
  public boolean remove(final Commit commit) throws IOException {
    return remove(commit, () -> true);
  }

  /**
   * Removes a commit as {@link #remove(Commit)} does, unless it is to stay.
   *
   * @param farewell called while nobody reads it nor can begin to
   */
  public boolean remove(final Commit commit, final Farewell farewell) throws IOException {
    return swept(() -> garbage.remove(commit, farewell));
  }

  /**
   * Removes the committed checkpoints of a number that are damaged or of another version; false
   * when a process reads one: it stays then.
   */
  boolean removeUnreadable(final long number) throws IOException {
    return swept(() -> garbage.removeUnreadable(number));
  }

  /**
   * Gives all checkpoints that share an image's own file copies of it, durably: it may change then.
   *
   * @throws IOException when that fails; it must not change then
   */
  public void unshare(final NativeFile image) throws IOException {
    if (image.links() > 1) {
      lock.hold(
          () -> {
            try (ImageFile copies = new ImageFile(directory.disk())) {
              for (final CheckpointDirectory checkpoint : catalogue.holders(image)) {
                copies.unshare(image, checkpoint);
              }
            }
          });
    }
  }

  /**
   * Says that the session is over, and nobody resumes it: others need not wait for that before they
   * write over its containers. To be called when all are closed, before {@link #close}.
   *
   * @throws IOException when that fails; they wait for a minute then
   */
  public void end() throws IOException {
    spares.end();
  }

  @Override
  public void close() throws IOException {
    try {
      if (logs.isOpen()) {
        lock.hold(logs::close);
      }
    } catch (final IOException e) {
      Speaker.say("the next session ends the commit log: " + e.getMessage());
    }
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
}
