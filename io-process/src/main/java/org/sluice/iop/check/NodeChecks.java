package org.sluice.iop.check;

import static org.sluice.core.command.SizeConverter.format;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.sluice.bridge.NativeLibraries;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.posix.AsyncWrites;
import org.sluice.core.posix.IoVector;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.process.Membarrier;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentException;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.memory.ControlGroups;
import org.sluice.iop.memory.Pages;
import org.sluice.iop.memory.SegmentPlace;
import org.sluice.iop.session.RuntimeDirectory;

/** The checks of a node. */
final class NodeChecks {
  /** The memory of an I/O process beside the segment, seen with some thousand images. */
  private static final long OWN_BYTES = 128L << 20;

  /**
   * The number of files at a time below which files are soon plain, or closed where none can come
   * to rest.
   */
  private static final long FEW_FILES = 1024;

  private final Section section;
  private final Geometry geometry;
  private final ControlGroups groups;

  NodeChecks(final Section section, final Geometry geometry) throws IOException {
    this.section = section;
    this.geometry = geometry;
    this.groups = ControlGroups.own();
  }

  /** Makes all checks, with the runtime directory of a session that does not begin. */
  void make(final RuntimeDirectory directory, final Pages pages, final boolean guarded)
      throws IOException {
    section.yes("runtime_directory", directory.path().getParent().toString());
    buffer(directory.path(), pages);
    Names.createDirectory(directory.trial().toString());
    asyncWrites(directory.trial().resolve("write"));
    makeAnywhere();
    if (!guarded) {
      guard(directory.trial().resolve("guarded"));
    }
  }

  /** Makes the checks that need no directory, as none can be made. */
  void makeWithout(final Exception refusal) throws IOException {
    section.stop("runtime_directory", refusal);
    makeAnywhere();
  }

  private void makeAnywhere() throws IOException {
    try {
      section.yes("programs", NativeLibraries.preload().getParent().toString());
      NativeLibraries.run();
    } catch (final CommandException e) {
      section.stop("programs", e);
    }
    memory(geometry.segmentLength() + OWN_BYTES, SegmentPlace.availableBytes(), groups.memory());
    processors(groups.processors());
    openFiles();
    if (Membarrier.isAvailable()) {
      section.yes("membarrier", "the kernel fences for a process that logs");
    } else {
      section.no(
          "membarrier",
          "an older kernel, or a sandbox forbids it",
          "each small write fences itself, which is a fifth of its time; let the sandbox allow membarrier(2)");
    }
    section.yes(
        "clocks",
        "those of other nodes need not agree: no order of checkpoints is told by a clock");
  }

  private void memory(
      final long needed, final long available, final Optional<ControlGroups.Memory> limited) {
    final ControlGroups.Memory limit = limited.orElse(null);
    if (limit != null && limit.most() < OWN_BYTES) {
      section.stop(
          "memory",
          ExitStatus.NO_ROOM,
          "%s allows %s, the I/O process may take %s"
              .formatted(limit.group(), format(limit.most()), format(OWN_BYTES)),
          "the kernel would kill a process of the job; ask for more memory");
    } else if (limit != null && limit.left() < needed) {
      section.limited(
          "memory",
          "%s has %s left of %s, the buffer and the I/O process may take %s"
              .formatted(limit.group(), format(limit.left()), format(limit.most()), format(needed)),
          "the buffer stays smaller than it is to be; choose a smaller --buffer, or ask for more memory");
    } else if (available < needed) {
      section.limited(
          "memory",
          "%s are available, the buffer and the I/O process may take %s"
              .formatted(format(available), format(needed)),
          "as the buffer fills the kernel swaps, or kills a process; choose a smaller --buffer");
    } else if (limit != null) {
      section.yes(
          "memory",
          "%s left of %s in %s"
              .formatted(format(limit.left()), format(limit.most()), limit.group()));
    } else {
      section.yes("memory", format(available) + " available, no limit of a cgroup");
    }
  }

  private void processors(final Optional<ControlGroups.Processors> limit) throws IOException {
    final int allowed = allowed();
    final int all = count(Files.readString(Path.of("/sys/devices/system/cpu/online")).strip());
    final String detail = "%d of %d may be used".formatted(allowed, all);
    if (limit.isPresent() && limit.get().most() < allowed) {
      section.limited(
          "processors",
          "%s, %s grants the time of %.2f"
              .formatted(detail, limit.get().group(), limit.get().most()),
          "once that is used up ranks and I/O process stop for the rest of a period; grant one more than there"
              + " are ranks, or whole ones");
    } else if (allowed == 1 && all > 1) {
      section.limited(
          "processors",
          detail,
          "the I/O process waits for the ranks that share it; let the launcher bind to none, such as mpirun"
              + " --bind-to none");
    } else {
      section.yes("processors", detail);
    }
  }

  private static int allowed() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .mapToInt(line -> count(line.substring(line.indexOf(':') + 1).strip()))
        .findFirst()
        .orElse(Runtime.getRuntime().availableProcessors());
  }

  /** Counts the members of a list such as {@code 0-3,8}. */
  private static int count(final String list) {
    return Arrays.stream(list.split(","))
        .map(range -> range.split("-"))
        .mapToInt(ends -> 1 + Integer.parseInt(ends[ends.length - 1]) - Integer.parseInt(ends[0]))
        .sum();
  }

  private void openFiles() {
    try {
      ImageRegistry.checkLimit();
    } catch (final CommandException e) {
      section.stop("open_files", e);
      return;
    }
    final long most = ImageRegistry.mostDescriptors();
    final String detail =
        most > Integer.MAX_VALUE
            ? "no limit"
            : "%d for processes, containers and captured files that are open".formatted(most);
    if (most < FEW_FILES) {
      section.limited(
          "open_files",
          detail,
          "files that are open beyond are plain files; raise the limit (ulimit -Hn)");
    } else {
      section.yes("open_files", detail);
    }
  }

  private void buffer(final Path directory, final Pages pages) throws IOException {
    try {
      final SegmentPlace place = SegmentPlace.find(directory, pages, geometry.segmentLength());
      final long huge = Segment.tryOut(place.file(), geometry);
      section.yes("buffer", "a segment of %s has room".formatted(format(geometry.segmentLength())));
      final String report = place.report(huge, pages);
      if (huge > 0 || pages == Pages.small) {
        section.yes("huge_pages", report);
      } else {
        final String[] parts = report.split("; ", 2);
        section.limited("huge_pages", parts[0], parts[1]);
      }
    } catch (final CommandException noHugePages) {
      section.stop("huge_pages", noHugePages);
    } catch (final SegmentException e) {
      section.stop(
          "buffer",
          e.isNoRoom() ? ExitStatus.NO_ROOM : ExitStatus.FAILED,
          e.getMessage(),
          e.isNoRoom()
              ? "or let an administrator enlarge that tmpfs (mount -o remount,size=SIZE)"
              : "");
    }
  }

  /**
   * Checks whether writes can go on while this process does other things, so that a disk always has
   * the next.
   */
  private void asyncWrites(final Path file) throws IOException {
    try (NativeFile opened = NativeFile.open(file, Flag.WRITE, Flag.CREATE);
        AsyncWrites writes = new AsyncWrites(1);
        Arena arena = Arena.ofConfined()) {
      final IoVector pieces = new IoVector(1);
      pieces.add(
          arena.allocate(FileSystemTrial.BLOCK, FileSystemTrial.BLOCK).address(),
          FileSystemTrial.BLOCK);
      final AsyncWrites.Write write = writes.start(opened, pieces, 0);
      write.await();
      if (write.isTaken()) {
        section.yes("async_writes", "io_submit");
      } else {
        section.limited(
            "async_writes",
            "io_submit is forbidden, as by the seccomp profile of a container",
            "a local disk waits between two writes of a container; let the profile allow io_setup,"
                + " io_submit, io_getevents and io_destroy");
      }
    }
  }

  private void guard(final Path file) throws IOException {
    try (NativeFile opened = NativeFile.open(file, Flag.WRITE, Flag.CREATE)) {
      GuardChecks.make(section, opened);
    }
  }
}
