package org.sluice.bridge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command that is a native program, since it starts in every rank or before an I/O process.
 * {@code scripts/sluice} goes there without a JVM; this is for callers in one.
 */
public final class NativeProgram {
  private NativeProgram() {}

  /**
   * Runs it with the command line that was given, and with this process's input and output.
   *
   * @param program its file
   * @param command the command as picocli knows it
   * @return its exit status
   * @throws IOException when it cannot be started
   */
  public static int run(final Path program, final CommandSpec command) throws IOException {
    final List<String> words = new ArrayList<>();
    words.add(program.toString());
    words.addAll(arguments(command));
    try {
      return new ProcessBuilder(words).inheritIO().start().waitFor();
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the command was running", e);
    }
  }

  /** The command line from behind the command's name on. */
  private static List<String> arguments(final CommandSpec command) {
    final List<String> all = command.root().commandLine().getParseResult().originalArgs();
    return all.subList(all.indexOf(command.name()) + 1, all.size());
  }
}
