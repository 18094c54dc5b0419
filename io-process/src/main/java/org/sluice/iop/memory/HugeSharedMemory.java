package org.sluice.iop.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The runtime directory's own tmpfs, where its mount options or the kernel's allow huge pages. */
final class HugeSharedMemory implements HugePageSource {
  private static final Path POLICY = Path.of("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  private static final List<String> ALLOWING =
      List.of("huge=always", "huge=within_size", "huge=advise");

  @Override
  public Optional<Path> find(final Path directory, final long length) throws IOException {
    final boolean forced = Files.isReadable(POLICY) && Files.readString(POLICY).contains("[force]");
    return MountTable.read()
        .holding(directory)
        .filter(mount -> mount.type().equals("tmpfs"))
        .filter(mount -> forced || mount.options().stream().anyMatch(ALLOWING::contains))
        .map(mount -> directory.resolve(SegmentPlace.FILE));
  }
}
