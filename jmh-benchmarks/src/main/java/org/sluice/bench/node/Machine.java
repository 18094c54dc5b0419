package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.command.JsonObject;
import org.sluice.core.posix.NativeFile;

/**
 * The machine on which the figures were measured.
 *
 * @param memory bytes of memory
 * @param device block device of the file system
 * @param beside number of threads that compute all the time beside
 */
record Machine(
    String processor,
    int cores,
    long memory,
    String kernel,
    String fileSystem,
    String device,
    int beside) {
  private static final String UNKNOWN = "unknown";
  private static final long KIB = 1024;
  private static final double GIB = 1 << 30;

  static Machine with(final Path directory, final int beside) throws IOException {
    try (NativeFile opened = NativeFile.open(directory, NativeFile.Flag.DIRECTORY)) {
      return new Machine(
          field("/proc/cpuinfo", "model name"),
          Runtime.getRuntime().availableProcessors(),
          Long.parseLong(field("/proc/meminfo", "MemTotal").replaceAll("\\D", "")) * KIB,
          Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip(),
          opened.room().fileSystem(),
          device(opened),
          beside);
    }
  }

  /**
   * Returns the block device of a file. A file system may have none of its own, as on a network.
   */
  private static String device(final NativeFile file) throws IOException {
    final Path link = Path.of("/sys/dev/block", (file.device() >>> 32) + ":" + (int) file.device());
    return Files.isSymbolicLink(link)
        ? "/dev/" + Files.readSymbolicLink(link).getFileName()
        : UNKNOWN;
  }

  /** Returns whether files there are on no disk at all. */
  boolean isMemory() {
    return fileSystem.equals("tmpfs") || fileSystem.equals("ramfs");
  }

  private static String field(final String file, final String name) throws IOException {
    return Files.readAllLines(Path.of(file)).stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse(UNKNOWN);
  }

  JsonObject toJson() {
    return new JsonObject()
        .with("processor", processor)
        .with("cores", cores)
        .with("memory", memory)
        .with("kernel", kernel)
        .with("file_system", fileSystem)
        .with("device", device)
        .with("beside", beside);
  }

  @Override
  public String toString() {
    return "%s, %d cores, %.0f GiB; Linux %s; %s on %s%s"
        .formatted(
            processor,
            cores,
            memory / GIB,
            kernel,
            fileSystem,
            device,
            beside == 0 ? "" : "; %d threads compute beside".formatted(beside));
  }
}
