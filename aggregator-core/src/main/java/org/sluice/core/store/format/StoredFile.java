package org.sluice.core.store.format;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;

/**
 * The existing files of a store. Anything may lie in their places. Something else than a file is
 * damage, and is neither followed nor waited for. No more is read than a file of its kind can have.
 */
public final class StoredFile {
  private StoredFile() {}

  @FunctionalInterface
  public interface Opening {
    /** A missing file is damage, not bad luck. */
    NativeFile open(Flag... flags) throws IOException;
  }

  /** A missing file is damage, not bad luck. */
  public static NativeFile open(final Path path, final Flag... flags) throws IOException {
    final NativeFile file = openAnything(path, flags);
    if (file.type() != FileType.REGULAR) {
      file.close();
      throw isNo(path, file.type(), FileType.REGULAR);
    }
    return file;
  }

  /** Opens a file of a program, whose name may be any. */
  public static NativeFile openInPlace(final String path, final Flag... flags) throws IOException {
    try {
      final NativeFile file =
          NativeFile.open(path, with(Flag.NO_WAIT, with(Flag.NO_FOLLOW, flags)));
      if (file.type() == FileType.REGULAR) {
        return file;
      }
      file.close();
      throw new DamagedException(path, 0, "it is no file any more");
    } catch (final PosixException e) {
      if (e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR) {
        throw new DamagedException(path, 0, "the file is missing");
      }
      throw e;
    }
  }

  private static NativeFile openAnything(final Path path, final Flag... flags) throws IOException {
    try {
      return NativeFile.open(path, with(Flag.NO_WAIT, with(Flag.NO_FOLLOW, flags)));
    } catch (final PosixException e) {
      if (e.errno() == Errno.ENOENT) {
        throw new DamagedException(path.toString(), 0, "the file is missing");
      }
      if (e.errno() == Errno.ENOTDIR) {
        check(path.getParent(), FileType.DIRECTORY);
      }
      check(path, FileType.REGULAR);
      if (e.errno() == Errno.EAGAIN) { // a lease, which the kernel ends within a minute
        return NativeFile.open(path, with(Flag.NO_FOLLOW, flags));
      }
      throw e;
    }
  }

  private static Flag[] with(final Flag flag, final Flag... others) {
    final Flag[] flags = Arrays.copyOf(others, others.length + 1);
    flags[others.length] = flag;
    return flags;
  }

  /** Finds damage where something else stands in the place of a file or directory. */
  public static void check(final Path path, final FileType expected) throws IOException {
    final FileType type;
    try {
      type = FileType.of(path);
    } catch (final PosixException e) {
      return; // the opening says why
    }
    if (type != expected) {
      throw isNo(path, type, expected);
    }
  }

  public static DamagedException isNo(
      final Path path, final FileType type, final FileType expected) {
    return new DamagedException(
        path.toString(),
        0,
        "it is %s, not %s".formatted(type.description(), expected.description()));
  }

  /** Returns all bytes of a file that has no more than a limit. */
  public static byte[] readAll(final Path path, final int most) throws IOException {
    try (NativeFile file = open(path);
        Arena arena = Arena.ofConfined()) {
      checkSize(file, most);
      final long size = file.size();
      final MemorySegment memory = arena.allocate(Math.max(1, size));
      final long length = read(file, memory.address(), size, 0);
      return memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /** Finds damage where a file has more bytes than one of its kind can have. */
  public static void checkSize(final NativeFile file, final long most) throws IOException {
    final long size = file.size();
    if (size > most) {
      throw new DamagedException(
          file.opened(), most, "it has %d bytes, more than it can have".formatted(size));
    }
  }

  /** Reads the bytes that the storage gives. Bytes that it does not give any more are damage. */
  public static long read(
      final NativeFile file, final long address, final long length, final long offset)
      throws IOException {
    try {
      return file.pread(address, length, offset);
    } catch (final PosixException e) {
      if (e.errno() == Errno.EIO) {
        throw new DamagedException(file.opened(), offset, "it cannot be read: EIO");
      }
      throw e;
    }
  }

  /** Opens a file past the page cache where the file system permits. */
  public static NativeFile openDirect(final Path path) throws IOException {
    return openDirect(at(path));
  }

  public static NativeFile openDirect(final Opening opening) throws IOException {
    try {
      return opening.open(Flag.DIRECT);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EINVAL);
      return opening.open();
    }
  }

  public static Opening at(final Path path) {
    return flags -> open(path, flags);
  }
}
