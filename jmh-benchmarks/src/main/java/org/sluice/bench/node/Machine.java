package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where the figures come from.
 *
 * @param processor its name
 * @param cores how many
 * @param memory bytes
 * @param kernel its release
 * @param fileSystem of the files written
 * @param device it is on
 */
record Machine(
    String processor, int cores, long memory, String kernel, String fileSystem, String device) {
  private static final String UNKNOWN = "unknown";
  private static final long KIB = 1024;
  private static final double GIB = 1 << 30;

  static Machine with(final Path directory) throws IOException {
    final Optional<FileStore> store = fileStore(directory);
    return new Machine(
        field("/proc/cpuinfo", "model name"),
        Runtime.getRuntime().availableProcessors(),
        Long.parseLong(field("/proc/meminfo", "MemTotal").replaceAll("\\D", "")) * KIB,
        Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip(),
        store.map(FileStore::type).orElse(UNKNOWN),
        store.map(FileStore::name).orElse(UNKNOWN));
  }

  /** None where the table of mounts lacks it: below a root that is no mount point. */
  private static Optional<FileStore> fileStore(final Path directory) {
    try {
      return Optional.of(Files.getFileStore(directory));
    } catch (final IOException e) {
      return Optional.empty();
    }
  }

  /** Whether what is written there is on no disk at all. */
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

  Map<String, Object> toJson() {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("processor", processor);
    json.put("cores", cores);
    json.put("memory", memory);
    json.put("kernel", kernel);
    json.put("file_system", fileSystem);
    json.put("device", device);
    return json;
  }

  @Override
  public String toString() {
    return "%s, %d cores, %.0f GiB; Linux %s; %s on %s"
        .formatted(processor, cores, memory / GIB, kernel, fileSystem, device);
  }
}
