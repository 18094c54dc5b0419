package org.sluice.core.store.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.SyncBatch;
import org.sluice.core.store.format.LogDescriptor;
import org.sluice.core.store.format.ManifestCodec;

/**
 * The disk through which a store makes all changes of its file system. Nowhere else is a file
 * opened for writing or a name made, moved or deleted. So a test can tell what a power cut may
 * leave. A change of names is durable once the directory was synchronised, a change of a file's
 * bytes once the file was. Thread-safe.
 *
 * <p>A point is the place where a fault can strike, null for none.
 */
public class Disk {
  public static final Disk REAL = new Disk();

  private static final int LOG_LENGTH = ManifestCodec.MAX_LENGTH + 2 * LogDescriptor.BLOCK_LENGTH;

  /** Returns the length of a commit log, in bytes: a record with the longest manifest fits. */
  public int logLength() {
    return LOG_LENGTH;
  }

  /** Returns the entries of a directory that grows with the store. */
  public List<Path> list(final Path directory) throws IOException {
    return Names.in(directory);
  }

  /** Opens a file, which the caller closes. */
  public NativeFile open(final Path path, final Flag... flags) throws IOException {
    return List.of(flags).contains(Flag.CREATE)
        ? NativeFile.create(path, FileMode.in(path.getParent()), flags)
        : NativeFile.open(path, flags);
  }

  /**
   * Opens a file for reading, also where something else stands in its place. The caller closes it.
   */
  public NativeFile openThere(final Path path) throws PosixException {
    return NativeFile.open(path, Flag.NO_FOLLOW, Flag.NO_WAIT);
  }

  /** Makes a directory, unless it is there. */
  public void createDirectory(final Path path) throws IOException {
    try {
      Names.createDirectory(path.toString());
    } catch (final PosixException e) {
      if (e.errno() != Errno.EEXIST || !Files.isDirectory(path)) {
        throw e;
      }
    }
  }

  public void link(final NativeFile file, final Path name) throws PosixException {
    file.linkTo(name);
  }

  /** Makes the bytes of an open file durable, also those that other descriptors wrote. */
  public void sync(final NativeFile file) throws PosixException {
    file.sync();
  }

  /** Does the same for several files at a time. */
  public void sync(final List<NativeFile> files) throws PosixException {
    SyncBatch.sync(files);
  }

  public void chmod(final NativeFile file, final int mode) throws PosixException {
    file.chmod(mode);
  }

  /** Gives a file another name in its directory, in place of any file of that name. */
  public void rename(final Path from, final Path to, final FaultPoint point) throws IOException {
    Fault.at(point, "rename " + from, () -> Names.rename(from.toString(), to.toString()));
  }

  /** Deletes a file or an empty directory, if it is there. */
  public void delete(final Path path, final FaultPoint point) throws IOException {
    Fault.at(point, "delete " + path, () -> Files.deleteIfExists(path));
  }

  /** Makes the names in a directory durable. */
  public void syncDirectory(final Path directory, final FaultPoint point) throws IOException {
    try (NativeFile file = NativeFile.open(directory, Flag.DIRECTORY)) {
      file.role(null, point);
      file.syncAll();
    }
  }

  /** Makes everything durable that is on the file system of a directory. */
  public void syncFileSystem(final Path directory) throws IOException {
    try (NativeFile file = NativeFile.open(directory, Flag.DIRECTORY)) {
      file.syncFileSystem();
    }
  }

  /** Deletes a directory and all in it, if it is there. */
  public final void deleteAll(final Path directory) throws IOException {
    for (final Path path : Names.deepestFirst(directory)) {
      delete(path, null);
    }
  }

  /**
   * Makes a file with its whole content at once, unless there is a file of its name. Of two
   * processes at once a single one makes it. Without links the last of two renames counts.
   */
  public final void createWhole(final Path draft, final Path name, final byte[] bytes)
      throws IOException {
    try (NativeFile file = open(draft, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE)) {
      fill(file, bytes);
      link(file, name);
    } catch (final PosixException e) {
      switch (e.errno()) {
        case Errno.EEXIST -> {}
        case Errno.EXDEV, Errno.EPERM, Errno.EOPNOTSUPP, Errno.ENOENT -> rename(draft, name, null);
        default -> throw e;
      }
    } finally {
      delete(draft, null);
    }
  }

  /** Makes a file with its whole content at once, in place of any file of its name. */
  public final void replaceWhole(final Path draft, final Path name, final byte[] bytes)
      throws IOException {
    try (NativeFile file = open(draft, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE)) {
      fill(file, bytes);
    }
    rename(draft, name, null);
  }

  /** Writes the whole content of a new file, durably but for its name. */
  public static void fill(final NativeFile file, final byte[] bytes) throws IOException {
    write(file, bytes);
    file.syncAll();
  }

  public static void write(final NativeFile file, final byte[] bytes) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      file.pwrite(memory.address(), bytes.length, 0);
    }
  }
}
