package org.sluice.iop.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;

/**
 * The place of the segment's file. Clients find it as {@code segment} in the runtime directory,
 * which is a symbolic link when the memory comes from elsewhere.
 */
public record SegmentPlace(Path file, String source, boolean huge) {
  static final String FILE = "segment";

  private static final String ADVICE =
      "huge ones would spare every process most page faults: start the I/O process as root, or let"
          + " an administrator \"mount -o remount,huge=advise /dev/shm\"";

  private static final String FRAGMENTED =
      "memory is too fragmented for huge ones: let an administrator"
          + " \"echo 1 >/proc/sys/vm/compact_memory\"";

  /** Returns the sources of huge pages, the best first. */
  private static Map<String, HugePageSource> sources() {
    final Map<String, HugePageSource> sources = new LinkedHashMap<>();
    sources.put("a tmpfs of its own", PrivateTmpfs::find);
    sources.put("hugetlbfs", HugePageSource::hugetlbfs);
    sources.put("shared memory", HugePageSource::sharedMemory);
    return sources;
  }

  /**
   * {@link #clear} removes its file.
   *
   * @param directory the runtime directory, on which the caller has the lock, cleared
   * @throws CommandException when only huge pages will do and there are none
   */
  public static SegmentPlace find(final Path directory, final Pages pages, final long length)
      throws IOException {
    return find(directory, pages, length, sources());
  }

  /** Returns the bytes that can be allocated on this node without swapping. */
  public static long availableBytes() throws IOException {
    return PrivateTmpfs.availableBytes();
  }

  static SegmentPlace find(
      final Path directory,
      final Pages pages,
      final long length,
      final Map<String, HugePageSource> sources)
      throws IOException {
    if (pages != Pages.small) {
      for (final Map.Entry<String, HugePageSource> source : sources.entrySet()) {
        final Optional<Path> file = source.getValue().find(directory, length);
        if (file.isPresent()) {
          link(directory.resolve(FILE), file.get());
          return new SegmentPlace(file.get(), source.getKey(), true);
        }
      }
    }
    if (pages == Pages.huge) {
      throw noHugePages(length);
    }
    return new SegmentPlace(directory.resolve(FILE), "shared memory", false);
  }

  private static CommandException noHugePages(final long length) {
    return new CommandException(
        ExitStatus.NO_ROOM,
        "no huge pages for a segment of %d bytes; %s; or take --pages auto"
            .formatted(length, ADVICE));
  }

  private static void link(final Path link, final Path file) throws IOException {
    if (!link.equals(file)) {
      final Path directory = link.getParent();
      Files.createSymbolicLink(
          link, file.startsWith(directory) ? directory.relativize(file) : file);
    }
  }

  /**
   * Removes the segment of a runtime directory, wherever its file is. Clients that have it mapped
   * keep it.
   *
   * @param directory a runtime directory on which the caller has the lock
   */
  public static void clear(final Path directory) throws IOException {
    final Path segment = directory.resolve(FILE);
    if (Files.isSymbolicLink(segment)) {
      Files.deleteIfExists(directory.resolve(Files.readSymbolicLink(segment)));
    }
    Files.deleteIfExists(segment);
    PrivateTmpfs.remove(directory);
  }

  /**
   * Checks that the pages are of the wanted kind.
   *
   * @param hugeBytes bytes of the segment that huge pages map so far
   * @return one line: the kind of pages, and how to get better ones
   * @throws CommandException when huge pages are required and these are not
   */
  public String report(final long hugeBytes, final Pages pages) {
    if (hugeBytes > 0) {
      return "2 MiB, from " + source;
    }
    final String got = "4 KiB, from " + source;
    if (pages == Pages.small) {
      return got;
    }
    final String better = huge ? FRAGMENTED : ADVICE;
    if (pages == Pages.huge) {
      throw new CommandException(
          ExitStatus.NO_ROOM, "pages of %s; %s; or take --pages auto".formatted(got, better));
    }
    return got + "; " + better;
  }
}
