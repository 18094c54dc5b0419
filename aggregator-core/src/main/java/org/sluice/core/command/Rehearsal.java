package org.sluice.core.command;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs commands one after the other in one process. The build records by it the classes that they
 * load and link. Tests of the commands' messages would otherwise mostly wait for JVMs to start.
 */
final class Rehearsal {
  private Rehearsal() {}

  /**
   * Writes the output of the Nth command to {@code N.out} and {@code N.err}, and its exit status to
   * {@code N.status}. Exits with the highest of these.
   *
   * @param arguments the directory for these files, and command lines, their words parted by single
   *     blanks
   */
  public static void main(final String[] arguments) throws IOException {
    Prelude.begin(arguments.length < 2 ? "" : arguments[1].split(" ")[0]);
    int highest = ExitStatus.OK.code();
    for (int i = 1; i < arguments.length; i++) {
      final int status = rehearse(Path.of(arguments[0]), i, arguments[i].split(" "));
      highest = Math.max(highest, status);
    }
    System.exit(highest);
  }

  private static int rehearse(final Path directory, final int number, final String[] command)
      throws IOException {
    try (PrintStream out = file(directory, number + ".out");
        PrintStream err = file(directory, number + ".err")) {
      System.setOut(out);
      System.setErr(err);
      final int status = Sluice.execute(command);
      Files.writeString(directory.resolve(number + ".status"), status + "\n");
      return status;
    }
  }

  private static PrintStream file(final Path directory, final String name) throws IOException {
    return new PrintStream(new FileOutputStream(directory.resolve(name).toFile()), true, "UTF-8");
  }
}
