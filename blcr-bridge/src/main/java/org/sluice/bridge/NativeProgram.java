package org.sluice.bridge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A runner of commands that are native programs, since they start in every rank or before an I/O
 * process. {@code scripts/sluice} starts them without a JVM; this class is for callers in a JVM.
 */
public final class NativeProgram {
  private NativeProgram() {}

  /** Runs a program with the given command line, and with this process's input and output. */
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

  /** Returns the words of the command line behind the command's name. */
  private static List<String> arguments(final CommandSpec command) {
    final List<String> all = command.root().commandLine().getParseResult().originalArgs();
    return all.subList(all.indexOf(command.name()) + 1, all.size());
  }
}
