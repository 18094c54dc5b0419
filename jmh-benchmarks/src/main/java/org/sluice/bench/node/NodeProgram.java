package org.sluice.bench.node;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The ranks of a node, alive and ready to write checkpoints. */
final class NodeProgram implements AutoCloseable {
  /** {@code BOARD_MAX_RANKS} of the program. */
  static final int MOST_RANKS = 128;

  private final Process process;
  private final BufferedReader answers;
  private final Writer orders;

  private NodeProgram(final Process process) {
    this.process = process;
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.orders = process.outputWriter(StandardCharsets.UTF_8);
  }

  /**
   * Starts the ranks and waits until they are ready.
   *
   * @param output how they put bytes somewhere
   * @param ranks how many
   * @param pattern file with the pattern
   * @param service the I/O process they write to, if any
   */
  static NodeProgram start(
      final String output, final int ranks, final Path pattern, final Optional<IoProcess> service)
      throws IOException {
    final List<String> command =
        new ArrayList<>(
            List.of(
                Installation.nodeProgram().toString(),
                output,
                Integer.toString(ranks),
                pattern.toString()));
    final ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    service.ifPresent(
        iop -> {
          command.add(Installation.preload().toString());
          builder.environment().put("SLUICE_DIRECTORY", iop.directory().toString());
          builder.environment().put("SLUICE_CAPTURE", iop.capture().toString());
        });
    final NodeProgram program = new NodeProgram(builder.start());
    program.answer();
    return program;
  }

  /** Lets all ranks write {@code directory/rank-N.img}, and measures. */
  Sample checkpoint(final long number, final Until until, final Path directory) throws IOException {
    orders.write("%d %s %s%n".formatted(number, until.order(), directory));
    orders.flush();
    return Sample.parse(answer());
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
