package org.sluice.core.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The end of a {@code sluice} that ran in a process of its own.
 *
 * @param status what it exited with
 * @param out what it printed
 * @param err what it complained about
 */
public record SluiceProcess(int status, String out, String err) {
  /** Runs it, with this process's class path. */
  public static SluiceProcess run(final Map<String, String> environment, final String... args)
      throws IOException, InterruptedException {
    final List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("@" + Path.of("..", "scripts", "jvm.options").toRealPath());
    line.add("-XX:TieredStopAtLevel=1");
    line.addAll(List.of("-cp", System.getProperty("java.class.path")));
    line.add(Sluice.class.getName());
    line.addAll(List.of(args));
    final ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
    builder.environment().putAll(environment);
    final Process process = builder.start();
    process.getOutputStream().close();
    final CompletableFuture<String> err =
        CompletableFuture.supplyAsync(() -> text(process.errorReader().lines().toList()));
    final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new SluiceProcess(process.waitFor(), out, err.join());
  }

  /** Runs it without environment variables. */
  public static SluiceProcess run(final String... args) throws IOException, InterruptedException {
    return run(Map.of(), args);
  }

  private static String text(final List<String> lines) {
    return String.join("\n", lines);
  }
}
