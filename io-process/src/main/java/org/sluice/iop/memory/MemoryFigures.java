package org.sluice.iop.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel says about the machine's memory. */
final class MemoryFigures {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final Path HUGETLB = Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB");
  private static final long HUGE_PAGE = 2L << 20;

  private MemoryFigures() {}

  /** What can be allocated without swapping, in bytes. */
  static long availableBytes() throws IOException {
    for (final String line : Files.readAllLines(MEMINFO)) {
      if (line.startsWith("MemAvailable:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    throw new IOException("no MemAvailable in " + MEMINFO);
  }

  /** What hugetlbfs has left that nobody reserved, in bytes; 0 without it. */
  static long freeHugetlbBytes() throws IOException {
    if (!Files.isDirectory(HUGETLB)) {
      return 0;
    }
    return (number("free_hugepages") - number("resv_hugepages")) * HUGE_PAGE;
  }

  private static long number(final String file) throws IOException {
    return Long.parseLong(Files.readString(HUGETLB.resolve(file)).strip());
  }
}
