package org.sluice.profile.tune;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.sluice.core.command.SizeConverter;

/**
 * What was measured, the trade-off of time against memory as a table and a plot, and the advice.
 */
final class TuneText {
  private static final int PLOT_WIDTH = 64;
  private static final int PLOT_HEIGHT = 14;

  private final Tuning tuning;
  private final PrintWriter out;

  private TuneText(final Tuning tuning, final PrintWriter out) {
    this.tuning = tuning;
    this.out = out;
  }

  static void print(
      final Tuning tuning, final Optional<Validation> validation, final PrintWriter out) {
    final TuneText text = new TuneText(tuning, out);
    text.printCosts();
    if (!tuning.outcomes().isEmpty()) {
      text.printTable();
      text.printPlot();
      out.println(Recommendation.of(tuning.outcomes(), tuning.plain()).sentence());
    }
    validation.filter(v -> !v.checks().isEmpty()).ifPresent(text::printReplays);
    if (validation.isPresent() && validation.get().checks().isEmpty()) {
      out.println("Interrupted before the replays were complete.");
    }
    if (!tuning.isComplete()) {
      out.printf(
          "Interrupted: %d of %d settings were looked at.%n",
          tuning.outcomes().size(), tuning.settings());
    }
    if (tuning.pattern().isCut()) {
      out.printf(
          "Only the first writes of each process were looked at, %d in all.%n",
          tuning.pattern().writes());
    }
    out.flush();
  }

  private void printCosts() {
    out.printf(
        "%d processes, %d writes, %s; this node has %d cores and drains %.1f GB/s%n%n",
        tuning.pattern().processes().size(),
        tuning.pattern().writes(),
        SizeConverter.format(tuning.pattern().bytes()),
        tuning.costs().cores(),
        tuning.costs().drainBytesPerSecond() / 1e9);
    out.printf("%-12s %14s %14s %8s%n", "WRITE OF", "COPY, us", "FILE, us", "RATIO");
    tuning
        .costs()
        .copy()
        .points()
        .forEach(
            (size, copy) -> {
              final double write = tuning.costs().write().nanos(size);
              out.printf(
                  "%-12s %14.3f %14.3f %8.1f%n",
                  SizeConverter.format(size), copy / 1e3, write / 1e3, write / copy);
            });
    out.println();
  }

  private void printTable() {
    out.printf(
        "Milliseconds in writes (slowest process); plain writes: %.1f%n%-12s",
        tuning.plain().nanos() / 1e6, "BUFFER");
    Tuning.thresholds().forEach(t -> out.printf("%9s", new Setting(t, 0).thresholdText()));
    out.printf("   MEMORY AT all%n");
    for (final long buffer : tuning.buffers()) {
      out.printf("%-12s", new Setting(0, buffer).bufferText());
      for (final long threshold : Tuning.thresholds()) {
        out.printf(
            "%9s",
            tuning
                .find(new Setting(threshold, buffer))
                .map(o -> "%.1f".formatted(o.nanos() / 1e6))
                .orElse("-"));
      }
      out.printf(
          "   %13s%n",
          tuning
              .find(new Setting(Long.MAX_VALUE, buffer))
              .map(o -> SizeConverter.format(o.memory()))
              .orElse("-"));
    }
    out.println();
  }

  private void printReplays(final Validation validation) {
    out.printf("%n%-12s %10s %14s %14s%n", "THRESHOLD", "BUFFER", "MODELLED, ms", "REPLAYED, ms");
    for (final Validation.Check check : validation.checks()) {
      final Setting setting = check.modelled().setting();
      final boolean plain = setting.equals(Setting.PLAIN);
      out.printf(
          "%-12s %10s %14.1f %14.1f%n",
          plain ? "plain" : setting.thresholdOption(),
          plain ? "-" : setting.bufferText(),
          check.modelled().nanos() / 1e6,
          check.nanos() / 1e6);
    }
    out.printf("%n%s%n", validation.sentence());
  }

  /** One letter for each threshold, the lowest a; where several meet, the highest shows. */
  private void printPlot() {
    final List<Outcome> outcomes = tuning.outcomes();
    final double mostNanos = outcomes.stream().mapToDouble(Outcome::nanos).max().orElseThrow();
    final double mostMemory = outcomes.stream().mapToLong(Outcome::memory).max().orElseThrow();
    final char[][] plot = new char[PLOT_HEIGHT][PLOT_WIDTH];
    for (final char[] row : plot) {
      Arrays.fill(row, ' ');
    }
    outcomes.stream()
        .sorted(Comparator.comparingLong(o -> o.setting().threshold()))
        .forEach(
            o -> {
              final int x = (int) ((PLOT_WIDTH - 1) * o.memory() / Math.max(mostMemory, 1));
              final int y = (int) ((PLOT_HEIGHT - 1) * o.nanos() / mostNanos);
              plot[PLOT_HEIGHT - 1 - y][x] =
                  (char) ('a' + Tuning.thresholds().indexOf(o.setting().threshold()));
            });
    out.printf("Time against memory, by threshold:");
    for (int i = 0; i < Tuning.thresholds().size(); i++) {
      out.printf(" %c=%s", 'a' + i, new Setting(Tuning.thresholds().get(i), 0).thresholdText());
    }
    out.println();
    for (int row = 0; row < PLOT_HEIGHT; row++) {
      final String label =
          row == 0 ? "%.1f ms".formatted(mostNanos / 1e6) : row == PLOT_HEIGHT - 1 ? "0 ms" : "";
      out.printf("%12s |%s%n", label, new String(plot[row]).stripTrailing());
    }
    out.printf("%12s +%s%n", "", "-".repeat(PLOT_WIDTH));
    out.printf(
        "%12s  0%" + (PLOT_WIDTH - 1) + "s%n%n", "", SizeConverter.format((long) mostMemory));
  }
}
