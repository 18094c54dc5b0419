package org.sluice.profile.replay;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sluice.bridge.NativeLibraries;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Progress;
import org.sluice.profile.trace.RecordedTrace;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TraceWriter;

/** A replay of the writes of a trace, with a process for each recorded one. */
public final class Replay {
  private final List<Path> parts;
  private final Optional<Duration> longestPause;

  private Replay(final List<Path> parts, final Optional<Duration> longestPause) {
    this.parts = parts;
    this.longestPause = longestPause;
  }

  /**
   * @param scratch directory for a copy that the processes can read, unless the trace is one itself
   * @param longestPause the longest pause between writes, which otherwise follow at once; empty to
   *     keep the recorded times
   */
  public static Replay of(
      final Trace trace, final Scratch scratch, final Optional<Duration> longestPause)
      throws IOException {
    if (trace instanceof final RecordedTrace recorded) {
      return new Replay(recorded.parts(), longestPause);
    }
    final Path copy = scratch.directory("trace");
    TraceWriter.copy(trace, copy);
    return new Replay(RecordedTrace.of(copy).parts(), longestPause);
  }

  /**
   * @throws CommandException when the replay fails, with the error messages of its processes
   */
  public ReplayResult run(
      final Place place, final Progress progress, final Interruption interruption)
      throws IOException {
    final List<String> command = new ArrayList<>(place.wrapper());
    command.add(NativeLibraries.replay().toString());
    longestPause.ifPresent(pause -> command.add("--pauses=" + pause.toMillis()));
    addArguments(command, place.files());
    final Process process =
        new ProcessBuilder(command).redirectError(place.errors().toFile()).start();
    String result = null;
    try (BufferedReader lines = process.inputReader()) {
      long bytes = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("{")) {
          result = line;
        } else if (line.startsWith("progress ")) {
          final long now = Long.parseLong(line.substring(line.indexOf(' ') + 1));
          progress.add(now - bytes);
          bytes = now;
        }
        if (interruption.isRequested()) {
          process
              .toHandle()
              .destroy(); // unlike destroy() of the process this leaves the stream open
        }
      }
    }
    if (await(process) != 0 || result == null) {
      if (interruption.isRequested()) { // the process could not stop in order
        return ReplayResult.NOTHING;
      }
      throw new CommandException(
          process.exitValue() == ExitStatus.USAGE.code() ? ExitStatus.USAGE : ExitStatus.FAILED,
          "the replay failed: " + Files.readString(place.errors()).strip());
    }
    return place.store().isEmpty()
        ? ReplayResult.parse(result, Map.of())
        : ReplayResult.parse(result, JSON.std.mapFrom(Files.readString(place.statistics())));
  }

  /** Compares files with the bytes that were written to them. */
  public void verify(final Path files) throws IOException {
    final List<String> command = new ArrayList<>();
    command.add(NativeLibraries.replay().toString());
    command.add("--verify");
    addArguments(command, files);
    check(command);
  }

  /** Runs a command that prints nothing when all goes well. */
  static void check(final List<String> command) throws IOException {
    final Process process =
        new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    final String said;
    try (BufferedReader errors = process.errorReader()) {
      said = errors.lines().collect(Collectors.joining("; "));
    }
    if (await(process) != 0) {
      throw new CommandException(ExitStatus.DAMAGED, "the replayed files are wrong: " + said);
    }
  }

  private void addArguments(final List<String> command, final Path files) {
    command.add(files.toString());
    parts.forEach(part -> command.add(part.toAbsolutePath().toString()));
  }

  private static int await(final Process process) throws IOException {
    try {
      return process.waitFor();
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the replay was running", e);
    }
  }
}
