package org.sluice.profile.text;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.sluice.profile.text.StraceArguments.AnnotatedDescriptor;
import org.sluice.profile.trace.Call;

/** The files of the descriptors of all processes, and the offsets of their next plain writes. */
final class StraceFiles {
  private static final int STANDARD_STREAMS = 3;

  record FilePosition(String path, long offset) {}

  /** An open file as {@code open} makes it; duplicated descriptors share it, as in the kernel. */
  private static final class OpenFile {
    private final String path;
    private final boolean appends;
    private long position;

    private OpenFile(final String path, final boolean appends) {
      this.path = path;
      this.appends = appends;
    }
  }

  private final Map<Integer, Map<Integer, OpenFile>> byProcess = new HashMap<>();
  private final Map<String, Long> ends = new HashMap<>();

  /** Returns the function of a name; {@link Call#OTHER} for a function that does not write. */
  static Call writeCall(final String name) {
    return switch (name) {
      case "write" -> Call.WRITE;
      case "pwrite", "pwrite64" -> Call.PWRITE;
      case "writev" -> Call.WRITEV;
      case "pwritev", "pwritev2" -> Call.PWRITEV;
      case "sendfile", "sendfile64", "copy_file_range" -> Call.COPY;
      default -> Call.OTHER;
    };
  }

  void fork(final int parent, final int child) {
    final Map<Integer, OpenFile> inherited = new HashMap<>(of(parent));
    inherited.putAll(of(child));
    byProcess.put(child, inherited);
  }

  /** Follows the effects of a call that does not write. */
  void follow(
      final int process,
      final String name,
      final StraceArguments arguments,
      final long result,
      final String resultPath) {
    switch (name) {
      case "open", "creat" -> open(process, result, resultPath, arguments, 0);
      case "openat", "openat2" -> open(process, result, resultPath, arguments, 1);
      case "close" -> of(process).remove(arguments.descriptor(0).number());
      case "dup", "dup2", "dup3" -> duplicate(process, arguments, result);
      case "fcntl", "fcntl64" -> {
        if (arguments.text(1).startsWith("F_DUPFD")) {
          duplicate(process, arguments, result);
        }
      }
      case "lseek", "_llseek" -> known(process, arguments).ifPresent(f -> f.position = result);
      case "read", "readv" -> known(process, arguments).ifPresent(f -> f.position += result);
      default -> {}
    }
  }

  private void open(
      final int process,
      final long result,
      final String resultPath,
      final StraceArguments arguments,
      final int pathAt) {
    final AnnotatedDescriptor opened =
        StraceArguments.descriptor(result + (resultPath == null ? "" : resultPath));
    final String path = opened.path() == null ? arguments.string(pathAt) : opened.path();
    final boolean appends = arguments.text(pathAt + 1).contains("O_APPEND");
    if (arguments.text(pathAt + 1).contains("O_TRUNC")) {
      ends.remove(path);
    }
    of(process).put(opened.number(), new OpenFile(path, appends));
  }

  private void duplicate(final int process, final StraceArguments arguments, final long result) {
    known(process, arguments).ifPresent(f -> of(process).put((int) result, f));
  }

  /**
   * Returns the file and the offset of a write; empty for a pipe, a terminal and other things that
   * are no files.
   */
  Optional<FilePosition> write(
      final int process, final String name, final StraceArguments arguments, final long size) {
    final AnnotatedDescriptor descriptor =
        arguments.descriptor(name.equals("copy_file_range") ? 2 : 0);
    final OpenFile file = file(process, descriptor);
    if (file == null || !isFile(file.path)) {
      return Optional.empty();
    }
    long offset = statedOffset(name, arguments);
    if (offset < 0) {
      offset = file.appends ? ends.getOrDefault(file.path, 0L) : file.position;
      file.position = offset + size;
    }
    ends.merge(file.path, offset + size, Math::max);
    return Optional.of(new FilePosition(file.path, offset));
  }

  private static long statedOffset(final String name, final StraceArguments arguments) {
    return switch (name) {
      case "pwrite", "pwrite64", "pwritev", "pwritev2", "copy_file_range" -> arguments.number(3);
      default -> -1;
    };
  }

  /**
   * Returns the open file of a descriptor; null for a standard stream that is not known to be a
   * file.
   */
  private OpenFile file(final int process, final AnnotatedDescriptor descriptor) {
    final OpenFile known = of(process).get(descriptor.number());
    if (known != null && (descriptor.path() == null || descriptor.path().equals(known.path))) {
      return known;
    }
    if (descriptor.path() == null && descriptor.number() < STANDARD_STREAMS) {
      return null;
    }
    final String path =
        descriptor.path() == null
            ? "/descriptor %d of process %d".formatted(descriptor.number(), process)
            : descriptor.path();
    final OpenFile found = new OpenFile(path, false);
    of(process).put(descriptor.number(), found);
    return found;
  }

  private Optional<OpenFile> known(final int process, final StraceArguments arguments) {
    return Optional.ofNullable(of(process).get(arguments.descriptor(0).number()));
  }

  private Map<Integer, OpenFile> of(final int process) {
    return byProcess.computeIfAbsent(process, p -> new HashMap<>());
  }

  /** Names of pipes and sockets have no slash in front. */
  private static boolean isFile(final String path) {
    return !path.startsWith("/dev/")
        && !path.startsWith("/proc/")
        && !path.startsWith("/sys/")
        && !path.matches("[\\w-]+:\\[.*");
  }
}
