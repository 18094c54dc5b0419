package org.sluice.iop.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A source of huge pages. */
@FunctionalInterface
interface HugePageSource {
  /**
   * Looks for a place on huge pages.
   *
   * @param directory the runtime directory, on which the caller has the lock
   * @param length bytes wanted
   * @throws IOException when the kernel refuses unexpectedly
   */
  Optional<Path> find(Path directory, long length) throws IOException;

  /**
   * Returns a path in the runtime directory's own tmpfs, where its mount options or the kernel's
   * settings allow huge pages.
   */
  static Optional<Path> sharedMemory(final Path directory, final long length) throws IOException {
    final Path policy = Path.of("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    final List<String> allowing = List.of("huge=always", "huge=within_size", "huge=advise");
    final boolean forced = Files.isReadable(policy) && Files.readString(policy).contains("[force]");
    return MountTable.read()
        .holding(directory)
        .filter(mount -> mount.type().equals("tmpfs"))
        .filter(mount -> forced || mount.options().stream().anyMatch(allowing::contains))
        .map(mount -> directory.resolve(SegmentPlace.FILE));
  }

  /** Returns a path in a hugetlbfs that the administrator mounted and filled with huge pages. */
  static Optional<Path> hugetlbfs(final Path directory, final long length) throws IOException {
    if (length > freeHugetlbBytes()) {
      return Optional.empty();
    }
    return MountTable.read().ofType("hugetlbfs").stream()
        .filter(mount -> mount.options().contains("pagesize=2M"))
        .map(MountTable.MountLine::at)
        .filter(Files::isWritable)
        .map(at -> at.resolve("sluice-" + UUID.randomUUID()))
        .findFirst();
  }

  /** Returns the unreserved bytes of hugetlbfs; 0 without it. */
  private static long freeHugetlbBytes() throws IOException {
    final Path hugetlb = Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB");
    if (!Files.isDirectory(hugetlb)) {
      return 0;
    }
    return (number(hugetlb, "free_hugepages") - number(hugetlb, "resv_hugepages"))
        * PrivateTmpfs.HUGE_PAGE;
  }

  private static long number(final Path hugetlb, final String file) throws IOException {
    return Long.parseLong(Files.readString(hugetlb.resolve(file)).strip());
  }
}
