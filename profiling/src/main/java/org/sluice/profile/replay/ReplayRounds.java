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
import org.sluice.bridge.NativeLibraries;
import org.sluice.profile.trace.RecordedTrace;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TraceWriter;

/** Processes that stay, and make the writes of a trace as fast as they can, as often as told. */
public final class ReplayRounds implements AutoCloseable {
  private final Process process;
  private final BufferedReader answers;
  private final Writer orders;

  /** Where the bytes go. */
  public enum Output {
    /** To files, as the calls of the trace do. */
    FILES,
    /** To files through a stdio buffer of 1 MiB. */
    STDIO,
    /** To files past the page cache, in whole blocks. */
    DIRECT,
    /** Into shared memory that is there, and no further. */
    MEMORY
  }

  /** What a round ends with. */
  public enum Ending {
    /** The files are closed. */
    CLOSE,
    /** The files are closed, and on stable storage. */
    SYNC,
    /** The I/O process has committed the checkpoint after the files were closed. */
    COMMIT,
    /** The files are closed, slowly: system calls are counted, and no times taken. */
    COUNT;

    /**
     * Whether the time until the last close is that of the writes alone.
     *
     * @return true unless something else goes on meanwhile
     */
    public boolean hasReturn() {
      return this == CLOSE || this == COMMIT;
    }

    /**
     * Whether everything is on stable storage.
     *
     * @return true if so
     */
    public boolean hasDurable() {
      return this == SYNC || this == COMMIT;
    }
  }

  private ReplayRounds(final Process process) {
    this.process = process;
    answers = process.inputReader(StandardCharsets.UTF_8);
    orders = process.outputWriter(StandardCharsets.UTF_8);
  }

  /**
   * Starts the processes and waits until they are ready.
   *
   * @param trace what they write
   * @param copy a directory that does not exist yet, for a copy that they can read
   * @param output where the bytes go
   * @param environment what they are told besides, such as of an I/O process
   * @return the processes
   * @throws IOException when they cannot be started; they have said why on standard error
   */
  public static ReplayRounds start(
      final Trace trace,
      final Path copy,
      final Output output,
      final Map<String, String> environment)
      throws IOException {
    TraceWriter.copy(trace, Files.createDirectories(copy));
    final List<String> command = new ArrayList<>();
    command.add(NativeLibraries.replay().toString());
    command.add("--rounds=" + output.name().toLowerCase(Locale.ROOT));
    RecordedTrace.of(copy).parts().forEach(part -> command.add(part.toString()));
    final ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().remove("SLUICE_DIRECTORY");
    builder.environment().putAll(environment);
    final ReplayRounds rounds = new ReplayRounds(builder.start());
    rounds.answer();
    return rounds;
  }

  /**
   * Lets all write once.
   *
   * @param number of the checkpoint that {@link Ending#COMMIT} waits for
   * @param ending what it ends with
   * @param directory what the files go below
   * @return what it took
   * @throws IOException when a process failed; it has said why on standard error
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

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
