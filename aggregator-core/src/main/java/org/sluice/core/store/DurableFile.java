package org.sluice.core.store;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;

/**
 * Small files that are on stable storage once written. The manifest is the only one that a session
 * writes, so the points at which a fault can strike are those of the manifest.
 */
final class DurableFile {
  private DurableFile() {}

  /** Creates a file. Its name is durable after a {@link #syncDirectory}. */
  static void create(final Path path, final byte[] bytes) throws IOException {
    try (Arena arena = Arena.ofConfined();
        NativeFile file = NativeFile.open(path, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE)) {
      file.role(FaultPoint.MANIFEST_WRITE, FaultPoint.MANIFEST_FSYNC);
      final MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      file.pwrite(memory.address(), bytes.length, 0);
      file.syncAll();
    }
  }

  /** Creates a file under a temporary name, then gives it its own; all durable on return. */
  static void replace(final Path temporary, final Path path, final byte[] bytes)
      throws IOException {
    create(temporary, bytes);
    Fault.at(
        FaultPoint.MANIFEST_RENAME,
        "rename " + temporary,
        () -> Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE));
    syncDirectory(path.getParent(), FaultPoint.COMMIT_FSYNC);
  }

  /** Makes the names in a directory durable. */
  static void syncDirectory(final Path directory, final FaultPoint point) throws IOException {
    try (NativeFile file = NativeFile.open(directory, Flag.DIRECTORY)) {
      file.role(null, point);
      file.syncAll();
    }
  }
}
