package org.sluice.iop;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.sluice.bridge.NativeLibraries;

/** The command that {@code run} runs, with this process's input, output and signals. */
final class Child {
  private static final int NOT_FOUND = 127;
  private static final int NOT_EXECUTABLE = 126;

  /** How the JDK tells the errno of a failed exec. */
  private static final Pattern ENOENT = Pattern.compile("error(=|: )2\\b");

  private static final List<String> FORWARDED = List.of("INT", "TERM", "HUP", "USR1", "USR2");

  private Child() {}

  /**
   * Runs the command to its end.
   *
   * @param capturing the environment variables that say what to do with its files
   * @return its exit status, 128 + N if signal N killed it, 127 if there is no such command, 126 if
   *     it cannot be executed
   */
  static int run(final List<String> command, final Map<String, String> capturing)
      throws IOException {
    final ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    final Map<String, String> environment = builder.environment();
    environment.putAll(capturing);
    environment.merge(
        "LD_PRELOAD",
        NativeLibraries.preload().toString(),
        (others, shim) -> others.isEmpty() ? shim : shim + ":" + others);
    restoreLocale(environment);
    final CompletableFuture<Process> started = new CompletableFuture<>();
    forwardSignals(started);
    final Process process;
    try {
      process = builder.start();
    } catch (final IOException e) {
      System.err.println("sluice run: cannot run " + command.getFirst() + ": " + reason(e));
      return isMissing(e) ? NOT_FOUND : NOT_EXECUTABLE;
    }
    started.complete(process);
    return await(process);
  }

  /** {@code scripts/sluice} gives the JVM another locale if file names need it. */
  private static void restoreLocale(final Map<String, String> environment) {
    final String own = environment.remove("SLUICE_LC_ALL");
    if (own != null && own.isEmpty()) {
      environment.remove("LC_ALL");
    } else if (own != null) {
      environment.put("LC_ALL", own);
    }
  }

  private static boolean isMissing(final IOException e) {
    return ENOENT.matcher(String.valueOf(e.getMessage())).find();
  }

  private static String reason(final IOException e) {
    return isMissing(e) ? "no such command; check the name and PATH" : "it is not executable";
  }

  /** A signal that comes before the command runs reaches it as soon as it does. */
  private static void forwardSignals(final CompletableFuture<Process> started) {
    for (final String signal : FORWARDED) {
      Signals.on(signal, () -> started.thenAccept(process -> forward(signal, process)));
    }
  }

  private static void forward(final String signal, final Process process) {
    try {
      new ProcessBuilder("kill", "-s", signal, Long.toString(process.pid())).start();
    } catch (final IOException e) {
      process.destroy();
    }
  }

  private static int await(final Process process) {
    while (true) {
      try {
        return process.waitFor();
      } catch (final InterruptedException e) {
        // Only the command's end ends the wait.
      }
    }
  }
}
