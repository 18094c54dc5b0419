package org.sluice.profile.replay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sluice.bridge.NativeLibraries;
import org.sluice.profile.trace.RecordedTrace;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TraceWriter;

/** Processes that make the writes of a trace as fast as they can, once in each round. */
public final class ReplayRounds implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 60;

  private final Process process;
  private final BufferedReader answers;
  private final Writer orders;

  /** The target of the written bytes. */
  public enum Output {
    /** Files, by the calls of the trace. */
    FILES,
    /** Files, through a stdio buffer of 1 MiB. */
    STDIO,
    /** Files, past the page cache, in whole blocks. */
    DIRECT,
    /** Shared memory that already exists, and no further. */
    MEMORY
  }

  /** The state with which a round ends. */
  public enum Ending {
    /** The files are closed. */
    CLOSE,
    /** The files are closed, and on stable storage. */
    SYNC,
    /** The I/O process has committed the checkpoint after the files were closed. */
    COMMIT,
    /** The files are closed, slowly: system calls are counted, and no times taken. */
    COUNT;

    /** Returns whether the time until the last close is that of the writes alone. */
    public boolean hasReturn() {
      return this == CLOSE || this == COMMIT;
    }

    public boolean hasDurable() {
      return this == SYNC || this == COMMIT;
    }
  }

  /**
   * The start of the processes.
   *
   * @param wrapper words before the program that replays; empty for none
   * @param options options of that program, but for the output
   * @param environment further environment variables, such as those of an I/O process
   */
  public record Launch(
      List<String> wrapper, List<String> options, Map<String, String> environment) {
    /** Processes of a single program, which knows no I/O process. */
    public static final Launch PLAIN = new Launch(List.of(), List.of(), Map.of());
  }

  private ReplayRounds(final Process process) {
    this.process = process;
    answers = process.inputReader(StandardCharsets.UTF_8);
    orders = process.outputWriter(StandardCharsets.UTF_8);
  }

  /**
   * Starts the processes and waits until they are ready.
   *
   * @param copy new directory for a copy that the processes can read
   * @throws IOException when the processes cannot be started; the reason is on standard error
   */
  public static ReplayRounds start(
      final Trace trace, final Path copy, final Output output, final Launch launch)
      throws IOException {
    TraceWriter.copy(trace, Files.createDirectories(copy));
    final List<String> command = new ArrayList<>(launch.wrapper());
    command.add(NativeLibraries.replay().toString());
    command.addAll(launch.options());
    command.add("--rounds=" + output.name().toLowerCase(Locale.ROOT));
    RecordedTrace.of(copy).parts().forEach(part -> command.add(part.toString()));
    final ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().remove("SLUICE_DIRECTORY");
    builder.environment().putAll(launch.environment());
    final ReplayRounds rounds = new ReplayRounds(builder.start());
    rounds.answer();
    return rounds;
  }

  /**
   * Runs one round, in which all processes write once.
   *
   * @param number of the checkpoint that {@link Ending#COMMIT} waits for
   * @throws IOException when a process failed; the reason is on standard error
   */
  public ReplayResult round(final long number, final Ending ending, final Path directory)
      throws IOException {
    final String word = ending.name().toLowerCase(Locale.ROOT);
    orders.write("%d %s %s%n".formatted(number, word, directory));
    orders.flush();
    return ReplayResult.parse(answer(), Map.of());
  }

  private String answer() throws IOException {
    final String line = answers.readLine();
    if (line == null) {
      throw new IOException("the ranks ended; see above");
    }
    return line;
  }

  /**
   * Lets the processes end, and the command that wraps them, which may have to commit and has time
   * for that.
   */
  @Override
  public void close() {
    try {
      orders.close();
    } catch (final IOException e) {
      // they have ended already
    }
    process.onExit().completeOnTimeout(process, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    process.destroy();
    process.onExit().join();
  }
}
