package org.sluice.iop.check;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.fault.Fault;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.directory.StorePlace;

/** A hidden directory in which a file system is tried out. Nothing of it stays. */
final class TrialDirectory implements AutoCloseable {
  static final int BLOCK = 4096;

  private final Path directory;

  private TrialDirectory(final Path directory) {
    this.directory = directory;
  }

  /** Makes one. */
  static TrialDirectory in(final Path place) throws PosixException {
    final Path directory = place.resolve(name());
    Names.createDirectory(directory.toString());
    return new TrialDirectory(directory);
  }

  /** A hidden name that nothing has; the process tells whose it is, should it be killed. */
  static String name() {
    return "%s%d-%016x"
        .formatted(StorePlace.TRIAL, ProcessHandle.current().pid(), Entropy.nextLong());
  }

  Path path(final String name) {
    return directory.resolve(name);
  }

  NativeFile file(final String name, final Flag... flags) throws PosixException {
    return NativeFile.open(path(name), flags);
  }

  /** The errno with which something fails; 0 when it does not. */
  static int errno(final Fault.Step<PosixException> step) {
    try {
      step.run();
      return 0;
    } catch (final PosixException e) {
      return e.errno();
    }
  }

  /** Writes a few bytes, from an address that any file system takes. */
  static void write(final NativeFile file, final int length, final long offset)
      throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment memory = arena.allocate(BLOCK, BLOCK);
      memory.fill((byte) 1); // no file system makes a hole of it
      file.pwrite(memory.address(), length, offset);
    }
  }

  @Override
  public void close() throws IOException {
    for (final Path path : Names.deepestFirst(directory)) {
      Files.deleteIfExists(path);
    }
  }
}
