package org.sluice.core.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.PosixException;

/** The kernel's advice and answers about mapped memory. Thread-safe. */
public final class MappedMemory {
  private static final Path MAPPINGS = Path.of("/proc/self/smaps");
  private static final Pattern HUGE =
      Pattern.compile("(?:ShmemPmdMapped|Shared_Hugetlb|Private_Hugetlb): +(\\d+) kB");

  private MappedMemory() {}

  /**
   * Asks for huge pages where the file system leaves that to the process that maps a file;
   * elsewhere nothing changes.
   *
   * @param address the beginning of the mapping, a multiple of 4096
   */
  public static void preferHugePages(final long address, final long length) {
    LibC.MADVISE.call(address, length, LibC.MADV_HUGEPAGE);
  }

  /**
   * Allocates the pages of a part of a mapping, so that writing to them takes no page fault.
   *
   * @param address its beginning, a multiple of 4096
   * @throws PosixException when that fails; {@link Errno#EFAULT} when the file system is full or
   *     the file too short, {@link Errno#EINVAL} before Linux 5.14
   */
  public static void populate(final long address, final long length) throws PosixException {
    final long result = LibC.MADVISE.uninterrupted(address, length, LibC.MADV_POPULATE_WRITE, 0);
    if (result < 0) {
      throw new PosixException("populate %d bytes of memory".formatted(length), (int) -result);
    }
  }

  /**
   * Frees the pages of a part of a shared mapping, in its file and so for all processes. They read
   * as zeros from here on. Where the kernel refuses they stay.
   *
   * @param address its beginning, a multiple of 4096
   * @param length its bytes
   */
  public static void remove(final long address, final long length) {
    LibC.MADVISE.call(address, length, LibC.MADV_REMOVE);
  }

  /**
   * The bytes of a mapping that are mapped by huge pages at the moment, as {@code /proc/self/smaps}
   * tells.
   */
  public static long hugeBytes(final long address) throws IOException {
    final String start = "%08x-".formatted(address);
    try (Stream<String> lines = Files.lines(MAPPINGS)) {
      return lines
          .dropWhile(line -> !line.startsWith(start))
          .takeWhile(line -> line.startsWith(start) || Character.isUpperCase(line.charAt(0)))
          .map(HUGE::matcher)
          .filter(Matcher::matches)
          .mapToLong(matcher -> Long.parseLong(matcher.group(1)) << 10)
          .sum();
    } catch (final UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
