package org.sluice.iop.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/** A hugetlbfs that the administrator mounted and filled with huge pages. */
final class Hugetlbfs implements HugePageSource {
  private static final String TYPE = "hugetlbfs";

  @Override
  public Optional<Path> find(final Path directory, final long length) throws IOException {
    if (length > MemoryFigures.freeHugetlbBytes()) {
      return Optional.empty();
    }
    return MountTable.read().ofType(TYPE).stream()
        .filter(mount -> mount.options().contains("pagesize=2M"))
        .map(MountTable.Entry::at)
        .filter(Files::isWritable)
        .map(at -> at.resolve("sluice-" + UUID.randomUUID()))
        .findFirst();
  }
}
