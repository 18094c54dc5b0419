package org.sluice.bench.node;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.sluice.bridge.NativeLibraries;
import org.sluice.core.request.CommandConnection;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;

/** A {@code sluice serve} of a single arm. */
final class ArmService implements AutoCloseable {
  private static final String READY = "ready: ";
  private static final String STORE = "store";
  private static final String CAPTURE = "capture";
  private static final long KIB = 1024;

  private final Process process;
  private final Path directory;
  private final Path home;

  private ArmService(final Process process, final Path directory, final Path home) {
    this.process = process;
    this.directory = directory;
    this.home = home;
  }

  /**
   * Starts the service and waits until it takes requests.
   *
   * @param home directory in which capture directory and store are made
   * @param options further options, such as {@code --buffer=8M}
   */
  static ArmService start(
      final Storage storage,
      final Path home,
      final Path runtime,
      final int ranks,
      final List<String> options)
      throws IOException {
    final List<String> command =
        new ArrayList<>(
            List.of(NativeLibraries.sluice().toString(), "serve", "--name=" + storage.label()));
    command.addAll(options(storage, home));
    command.addAll(options);
    if (storage.isContainer()) {
      command.addAll(List.of("--group=" + Arm.GROUP, "--writers=" + ranks, "--keep=2"));
    }
    final ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("SLUICE_RUNTIME", runtime.toString());
    final Process process = builder.start();
    final BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(READY)) {
        return new ArmService(process, Path.of(line.substring(READY.length())), home);
      }
    }
    throw new IOException(String.join(" ", command) + ": it ended; see above");
  }

  Path capture() {
    return capture(home);
  }

  static Path capture(final Path home) {
    return home.resolve(CAPTURE);
  }

  /** Returns the options of any session of an arm: its places, and where bytes go. */
  static List<String> options(final Storage storage, final Path home) {
    return List.of(
        "--store=" + home.resolve(STORE),
        "--capture=" + capture(home),
        "--layout=" + storage.layout(),
        "--threshold=" + storage.threshold());
  }

  /** Returns the work of its ranks so far, by the names of {@code --stats}. */
  Map<String, Object> statistics() throws IOException {
    try (CommandConnection connection = CommandConnection.open(directory.resolve("socket"))) {
      return JSON.std.mapFrom(((Reply.Text) connection.call(new Request.Stats())).text());
    }
  }

  Path directory() {
    return directory;
  }

  /** Returns the most memory that was ever mapped and touched, the segment included, in bytes. */
  long peakMemory() throws IOException {
    return status("VmHWM");
  }

  /** Returns the process's own memory, in bytes. */
  long ownMemory() throws IOException {
    return status("RssAnon");
  }

  /** Returns the bytes of live objects on the heap. Collects garbage. */
  long liveHeap() throws IOException {
    final Process histogram =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/jcmd").toString(),
                Long.toString(process.pid()),
                "GC.class_histogram")
            .start();
    try (BufferedReader lines = histogram.inputReader(StandardCharsets.UTF_8)) {
      return lines
          .lines()
          .filter(line -> line.startsWith("Total "))
          .mapToLong(line -> Long.parseLong(line.replaceAll(".* ", "")))
          .findFirst()
          .orElseThrow(() -> new IOException("jcmd %d tells nothing".formatted(process.pid())));
    }
  }

  private long status(final String field) throws IOException {
    return Files.readAllLines(proc("status")).stream()
        .filter(line -> line.startsWith(field + ":"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KIB)
        .findFirst()
        .orElse(0);
  }

  /** Returns the bytes of the segment mapped in huge pages. */
  long hugeMemory() throws IOException {
    long huge = 0;
    boolean segment = false;
    for (final String line : Files.readAllLines(proc("smaps"))) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        segment = line.endsWith("/segment");
      } else if (segment && line.matches("(ShmemPmdMapped|FilePmdMapped|Shared_Hugetlb):.*")) {
        huge += Long.parseLong(line.replaceAll("\\D", "")) * KIB;
      }
    }
    return huge;
  }

  private Path proc(final String file) {
    return Path.of("/proc", Long.toString(process.pid()), file);
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
