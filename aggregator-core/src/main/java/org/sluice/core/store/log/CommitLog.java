package org.sluice.core.store.log;

import static org.sluice.core.store.format.LogDescriptor.BLOCK_LENGTH;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.format.LogRecord;

/**
 * The commit log of this process: a file whose blocks are all written, so that one write and one
 * sync commit a checkpoint. The checkpoint's directory follows after its record. Until the
 * directory is durable the record counts, whatever the directory holds.
 *
 * <p>A record is written only when the one before it is durable, and over no record that counts. A
 * lap begins with a mark that is durable before anything else of the lap is written. Otherwise a
 * torn record could overwrite the record that says which others do not count any more.
 *
 * <p>Another process that holds the store's lock may make all directories durable and delete the
 * log. This process then finds its file without a name. All methods are called under the store's
 * lock.
 */
final class CommitLog {
  private final StoreDirectory store;
  private final long id;
  private final NativeFile file;
  private final int length;

  /** The commits whose records count, the oldest first. */
  private final List<Follower> followers = new ArrayList<>();

  private int position;
  private long sequence;
  private int crc;

  /** A commit whose directory follows its record. */
  private static final class Follower {
    private final long sequence;
    private final CheckpointDirectory directory;
    private final byte[] manifest;
    private final byte[] index;
    private boolean written;
    private boolean durable;

    Follower(
        final long sequence,
        final CheckpointDirectory directory,
        final byte[] manifest,
        final byte[] index) {
      this.sequence = sequence;
      this.directory = directory;
      this.manifest = manifest;
      this.index = index;
    }

    void write() throws IOException {
      if (!written) {
        Fault.at(
            FaultPoint.LOG_FOLLOW,
            "write " + directory.path(),
            () -> directory.write(manifest, index));
        written = true;
      }
    }

    /**
     * Makes the directory durable. Its files are written again, as a failed sync may have lost
     * them.
     */
    void sync() throws IOException {
      write();
      written = false;
      Fault.at(FaultPoint.LOG_SETTLE, "sync " + directory.path(), directory::sync);
      written = true;
    }
  }

  private CommitLog(final StoreDirectory store, final long id, final NativeFile file) {
    this.store = store;
    this.id = id;
    this.file = file;
    this.length = store.disk().logLength();
  }

  /** Makes a log, durably. Some file systems refuse to write a log past the page cache. */
  static CommitLog create(final StoreDirectory store) throws IOException {
    store.disk().createDirectory(store.logs());
    store
        .disk()
        .syncDirectory(store.path(), null); // a process that was killed may have made the directory
    try {
      return create(store, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE, Flag.DIRECT);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EINVAL);
      return create(store, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE);
    }
  }

  private static CommitLog create(final StoreDirectory store, final Flag... flags)
      throws IOException {
    final long id = Entropy.nextLong();
    final NativeFile file = store.disk().open(store.log(id), flags);
    try {
      file.lock();
      final CommitLog log = new CommitLog(store, id, file);
      log.fill();
      store.disk().syncDirectory(store.logs(), FaultPoint.DIRECTORY_FSYNC);
      file.role(FaultPoint.LOG_WRITE, FaultPoint.LOG_FSYNC);
      return log;
    } catch (final IOException e) {
      file.close();
      store.disk().delete(store.log(id), null);
      throw e;
    }
  }

  private void fill() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      file.pwrite(arena.allocate(length, BLOCK_LENGTH).address(), length, 0);
    }
    mark(0);
  }

  Path path() {
    return store.log(id);
  }

  /**
   * Returns whether another process has deleted the log. All its commits are durable without it
   * then. NFS gives an open file another name instead.
   */
  boolean isGone() throws PosixException {
    return file.links() == 0 || Files.notExists(path(), LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns the checkpoints of its records that count. */
  List<CheckpointDirectory> commits() {
    return followers.stream().map(follower -> follower.directory).toList();
  }

  /** Makes room after the others for a record. */
  void makeRoom(final byte[] manifest, final byte[] index) throws IOException {
    if (position + LogRecord.length(manifest, index) > length) {
      lap();
    }
  }

  /**
   * Commits a checkpoint for which there is room.
   *
   * @throws IOException when that fails; the checkpoint is not committed, and the log is given up
   */
  void append(final CheckpointDirectory directory, final byte[] manifest, final byte[] index)
      throws IOException {
    try {
      write(position, manifest, index);
    } catch (final IOException e) {
      takeBack(e);
      throw e;
    }
    followers.add(new Follower(sequence, directory, manifest, index));
  }

  /** Writes the directories, for all to see, but not durably yet. */
  void follow() throws IOException {
    for (final Follower follower : followers) {
      follower.write();
    }
  }

  /** Makes all directories durable. */
  void settle() throws IOException {
    final List<Follower> open = followers.stream().filter(each -> !each.durable).toList();
    for (final Follower follower : open) {
      follower.sync();
    }
    if (!open.isEmpty()) {
      store.disk().syncDirectory(store.checkpoints(), null);
      open.forEach(follower -> follower.durable = true);
    }
  }

  /** Begins at the front again while nobody waits, once half of the log is used. */
  void lapEarly() throws IOException {
    if (position > length / 2) {
      lap();
    }
  }

  private void lap() throws IOException {
    settle();
    mark(0);
  }

  /** Retires the record of a checkpoint, if there is one: it counts no more. */
  void retire(final CheckpointDirectory directory) throws IOException {
    if (followers.stream().anyMatch(each -> each.directory.equals(directory))) {
      settle();
      mark(position < length ? position : 0);
    }
  }

  private void mark(final int at) throws IOException {
    write(at, LogRecord.NONE, LogRecord.NONE);
  }

  private void write(final int at, final byte[] manifest, final byte[] index) throws IOException {
    final long next = sequence + 1;
    final long first =
        followers.stream()
            .filter(each -> !each.durable)
            .mapToLong(f -> f.sequence)
            .min()
            .orElse(next);
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment record = LogRecord.encode(arena, id, next, first, crc, manifest, index);
      file.pwrite(record.address(), record.byteSize(), at);
      file.sync();
      crc = LogRecord.crc(record);
      position = at + (int) record.byteSize();
    }
    sequence = next;
    followers.removeIf(each -> each.sequence < first);
  }

  /**
   * Makes sure that a record whose write or sync has failed never counts. A mark in its place hides
   * it for now. The deletion of the log is durable.
   */
  private void takeBack(final IOException failure) {
    try {
      mark(position);
    } catch (final IOException e) {
      failure.addSuppressed(e);
    }
    try {
      delete();
    } catch (final IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** Makes its commits durable without it, and deletes the log. */
  void delete() throws IOException {
    try (file) {
      settle();
      store.disk().delete(path(), null);
      store.disk().syncDirectory(store.logs(), FaultPoint.DIRECTORY_FSYNC);
    }
  }

  /** Closes a log that another process has deleted. */
  void close() throws IOException {
    file.close();
  }
}
