package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The real {@code sluice serve} as a child process. */
final class ServeProcess implements AutoCloseable {
  private static final int LIMIT_SECONDS = 60;

  private final Process process;
  private final Path errors;
  private final Path directory;
  private int heard;

  private ServeProcess(final Process process, final Path errors, final Path directory) {
    this.process = process;
    this.errors = errors;
    this.directory = directory;
  }

  /**
   * Starts one whose runtime directory is below {@code runtime}; waits until clients can attach.
   */
  static ServeProcess start(final Path runtime, final String... options) throws IOException {
    return start(runtime, Map.of(), options);
  }

  static ServeProcess start(
      final Path runtime, final Map<String, String> environment, final String... options)
      throws IOException {
    final Path errors = Files.createTempFile(runtime, "serve", ".err");
    final Process process = launch(runtime, errors, environment, options);
    final BufferedReader output = process.inputReader();
    final String line = output.readLine();
    if (line == null || !line.startsWith("ready: ")) {
      throw new AssertionError("not ready: " + line + Files.readString(errors));
    }
    return new ServeProcess(process, errors, Path.of(line.substring("ready: ".length())));
  }

  /** Starts one that is to fail; returns its exit status and what it says on standard error. */
  static Outcome fail(final Path runtime, final String... options)
      throws IOException, InterruptedException {
    final Path errors = Files.createTempFile(runtime, "serve", ".err");
    final Process process = launch(runtime, errors, Map.of(), options);
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("still running");
    }
    return new Outcome(process.exitValue(), Files.readAllLines(errors));
  }

  record Outcome(int status, List<String> errors) {}

  private static Process launch(
      final Path runtime,
      final Path errors,
      final Map<String, String> environment,
      final String... options)
      throws IOException {
    final List<String> command = new ArrayList<>();
    // A killed one leaves no mount with small pages, which nobody could remove who may not mount.
    command.addAll(List.of(sluice(), "serve", "--pages", "small"));
    Stream.of(options).forEach(command::add);
    final ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    builder.environment().putAll(environment);
    builder.environment().put("SLUICE_RUNTIME", runtime.toString());
    builder.environment().keySet().removeAll(List.of("SLUICE_STORE", "SLUICE_CAPTURE"));
    return builder.start();
  }

  /** The command that users type. */
  private static String sluice() throws IOException {
    return Path.of("..", "scripts", "sluice").toRealPath().toString();
  }

  Path directory() {
    return directory;
  }

  long pid() {
    return process.pid();
  }

  /** What it has said on standard error, or what it did since {@link #forgetErrors}. */
  String errors() throws IOException {
    return Files.readString(errors).substring(heard);
  }

  void forgetErrors() throws IOException {
    heard = Files.readString(errors).length();
  }

  /** Asks it to drain and stop; returns its exit status. */
  int stop() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("does not stop");
    }
    return process.exitValue();
  }

  /** Stops all its threads until it is thawed: the signal is one thread's first. */
  void freeze() throws Exception {
    signal("STOP");
    ServeTest.await(
        () -> {
          try (Stream<Path> threads = Files.list(Path.of("/proc/%d/task".formatted(pid())))) {
            return threads.allMatch(ServeProcess::isStopped);
          }
        });
  }

  private static boolean isStopped(final Path thread) {
    try {
      return Files.readString(thread.resolve("stat")).contains(") T ");
    } catch (final IOException ended) {
      return true;
    }
  }

  void thaw() throws Exception {
    signal("CONT");
  }

  private void signal(final String name) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + name, "" + pid()).start().waitFor()).isZero();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
