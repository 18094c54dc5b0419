package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.sluice.profile.replay.Scratch;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The place where a benchmark measures, and the place of its results: the options that every sweep
 * has.
 */
final class Site {
  private static final long PATIENCE_MILLIS = 10_000;
  private static final int MOST_BESIDE = 1024;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Existing directory on the disk to measure; default: the current one.")
  private Path directory = Path.of("");

  @Option(
      names = "--keep-files",
      description = "Leave what was written in a directory below DIR, to look at.")
  private boolean keepFiles;

  @Option(
      names = "--beside",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Threads that compute all the time beside what is measured, as on nodes without an idle"
              + " core; default: ${DEFAULT-VALUE}.")
  private int beside;

  @Option(names = "--json", paramLabel = "FILE", description = "Leave the results there.")
  private Path json;

  @FunctionalInterface
  interface Measurement {
    void on(Machine machine, Path files, Path runtime) throws IOException, InterruptedException;
  }

  /** Returns the file of the results; null for none. */
  Path json() {
    return json;
  }

  boolean keepsFiles() {
    return keepFiles;
  }

  /** Measures, and deletes the files of the measurement, also when it is interrupted. */
  void measure(final Measurement measurement) throws IOException, InterruptedException {
    checkDirectories();
    final Path here = directory.toAbsolutePath();
    checkRange("--beside", beside, 0, MOST_BESIDE);
    final Machine machine = Machine.with(here, beside);
    if (machine.isMemory()) {
      throw usage("--dir %s is in memory: name a directory on a disk".formatted(directory));
    }
    final Path files = Files.createTempDirectory(here, command.name() + "-");
    final Path runtime = Files.createTempDirectory(Path.of("/dev/shm"), "sluice-bench-");
    final Thread cleaner = cleaner(Thread.currentThread());
    Runtime.getRuntime().addShutdownHook(cleaner);
    try {
      System.out.println(machine);
      IntStream.range(0, beside).forEach(i -> Thread.ofPlatform().daemon().start(Site::compute));
      measurement.on(machine, files, runtime);
    } finally {
      if (!keepFiles) {
        Scratch.delete(files);
      }
      Scratch.delete(runtime);
    }
    Runtime.getRuntime().removeShutdownHook(cleaner);
  }

  @SuppressWarnings("InfiniteLoopStatement")
  private static void compute() {
    while (true) {
      Thread.onSpinWait();
    }
  }

  /**
   * Returns a thread that cleans up on a signal. The thread that waits for a child's answer finds
   * the child gone, and cleans up.
   */
  private static Thread cleaner(final Thread measuring) {
    return new Thread(
        () -> {
          measuring.interrupt();
          ProcessHandle.current().children().forEach(ProcessHandle::destroy);
          try {
            measuring.join(PATIENCE_MILLIS);
          } catch (final InterruptedException ignored) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private void checkDirectories() {
    if (!Files.isDirectory(directory.toAbsolutePath())) {
      throw usage("--dir %s is no directory".formatted(directory));
    }
    if (json != null && !Files.isWritable(json.toAbsolutePath().getParent())) {
      // a late refusal would waste hours
      throw usage("--json %s: cannot write files there".formatted(json));
    }
  }

  void checkRange(final String option, final int value, final int least, final int most) {
    if (value < least || value > most) {
      throw usage("%s takes %d to %d, not %d".formatted(option, least, most, value));
    }
  }

  ParameterException usage(final String message) {
    return new ParameterException(command.commandLine(), message);
  }
}
