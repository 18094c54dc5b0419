package org.sluice.core.command;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What became of a {@code sluice} command.
 *
 * @param status its exit status
 * @param out what it printed
 * @param err what it complained about, without the last line's end
 */
public record CommandResult(int status, String out, String err) {
  /** Runs a command in this JVM, since most are over sooner than another one starts. */
  public static CommandResult of(final String... args) {
    final PrintStream out = System.out;
    final PrintStream err = System.err;
    final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    final ByteArrayOutputStream complained = new ByteArrayOutputStream();
    synchronized (CommandResult.class) {
      try {
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
        return new CommandResult(Sluice.execute(args), text(printed), text(complained).strip());
      } finally {
        System.setOut(out);
        System.setErr(err);
      }
    }
  }

  private static String text(final ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Runs the command that users type, with additional environment variables. */
  public static CommandResult of(final Map<String, String> environment, final String... args)
      throws IOException, InterruptedException {
    final List<String> line = new ArrayList<>();
    line.add(Path.of("..", "scripts", "sluice").toRealPath().toString());
    line.addAll(List.of(args));
    final ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
    builder.environment().putAll(environment);
    final Process process = builder.start();
    process.getOutputStream().close();
    final CompletableFuture<String> err =
        CompletableFuture.supplyAsync(
            () -> String.join("\n", process.errorReader().lines().toList()));
    final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new CommandResult(process.waitFor(), out, err.join());
  }
}
