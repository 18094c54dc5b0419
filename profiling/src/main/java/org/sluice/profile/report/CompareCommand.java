package org.sluice.profile.report;

import static org.sluice.core.command.Model.parameter;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleBiFunction;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.profile.source.Traces;
import org.sluice.profile.trace.Tally;
import picocli.CommandLine.Model.CommandSpec;

/** The command that shows two traces side by side. */
public final class CompareCommand implements Subcommand {
  private static final double NO_DIFFERENCE = 0.005;

  private final JsonOption json = new JsonOption();

  private Path before;
  private Path after;

  private final CommandSpec spec =
      Model.of(this, "compare")
          .describe("Shows how the writes of two runs differ, such as before and after a change.")
          .exits(
              ExitStatus.DAMAGED, ExitStatus.NO_ROOM, ExitStatus.DENIED, ExitStatus.OTHER_VERSION)
          .add(json)
          .add(
              parameter(Path.class, value -> before = value)
                  .index("0")
                  .paramLabel("BEFORE")
                  .description("A trace of any kind."))
          .add(
              parameter(Path.class, value -> after = value)
                  .index("1")
                  .paramLabel("AFTER")
                  .description("A trace of any kind."))
          .examples(
              "  sluice profile compare plain.strace sluice.strace",
              "  sluice profile compare before/ after/ --json | jq '.change.seconds'")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    final Profile first = new Profile(Traces.name(before), Traces.open(before));
    final Profile second = new Profile(Traces.name(after), Traces.open(after));
    if (json.wanted()) {
      json.print(members(first, second));
    } else {
      print(first, second);
    }
    return ExitStatus.OK.code();
  }

  private void print(final Profile first, final Profile second) {
    final PrintWriter out = spec.commandLine().getOut();
    out.printf("%-16s %14s %14s %12s%n", "", "BEFORE", "AFTER", "AFTER/BEFORE");
    row(out, "writes", first.total().writes(), second.total().writes(), "%.0f");
    row(out, "data, MiB", mebibytes(first.total()), mebibytes(second.total()), "%.1f");
    row(out, "mean write, KiB", meanKibibytes(first), meanKibibytes(second), "%.1f");
    row(out, "in writes, s", first.total().seconds(), second.total().seconds(), "%.3f");
    row(out, "phases, s", phases(first), phases(second), "%.3f");
    row(out, "processes", first.processes(), second.processes(), "%.0f");
    row(out, "files", first.files().size(), second.files().size(), "%.0f");
    out.printf("%n%-16s %23s %23s %23s%n", "SIZE", "% OF WRITES", "% OF DATA", "% OF TIME");
    for (int i = 0; i < SizeClasses.COUNT; i++) {
      out.printf(
          "%-16s %23s %23s %23s%n",
          SizeClasses.label(i),
          change(first, second, i, Tally::percentOfWrites),
          change(first, second, i, Tally::percentOfBytes),
          change(first, second, i, Tally::percentOfTime));
    }
    out.printf("%n%s%n", verdict(first, second));
    for (final Profile profile : List.of(first, second)) {
      if (profile.omissions.skipped() > 0) {
        out.printf(
            "%s: skipped %d lines%n", Quoting.name(profile.name), profile.omissions.skipped());
      }
    }
  }

  private static String change(
      final Profile first,
      final Profile second,
      final int sizeClass,
      final ToDoubleBiFunction<Tally, Tally> share) {
    return "%.2f -> %.2f"
        .formatted(
            share.applyAsDouble(first.sizeClass(sizeClass), first.total()),
            share.applyAsDouble(second.sizeClass(sizeClass), second.total()));
  }

  private static void row(
      final PrintWriter out,
      final String name,
      final double before,
      final double after,
      final String format) {
    out.printf(
        "%-16s %14s %14s %12s%n",
        name,
        format.formatted(before),
        format.formatted(after),
        before == 0 ? "-" : "%.2f".formatted(after / before));
  }

  private static String verdict(final Profile first, final Profile second) {
    final double before = first.total().seconds();
    final double after = second.total().seconds();
    if (before == 0 || after == 0) {
      return "One of the traces has no times to compare.";
    }
    final double time = after / before;
    final double data = (double) second.total().bytes() / first.total().bytes();
    return isAlike(data)
        ? "The processes spend %s time in writes as before.".formatted(times(time))
        : "The processes spend %s time in writes as before, for %.2f times the data: %s for a byte."
            .formatted(times(time), data, times(time / data));
  }

  private static boolean isAlike(final double ratio) {
    return Math.abs(ratio - 1) < NO_DIFFERENCE;
  }

  private static String times(final double ratio) {
    return isAlike(ratio) ? "as much" : "%.2f times as much".formatted(ratio);
  }

  private static double mebibytes(final Tally tally) {
    return tally.bytes() / (double) (1 << 20);
  }

  private static double meanKibibytes(final Profile profile) {
    return profile.total().bytes() / 1024.0 / Math.max(profile.total().writes(), 1);
  }

  private static double phases(final Profile profile) {
    return profile.phases.stream().mapToLong(Phases.Phase::length).sum() / 1e9;
  }

  private static JsonObject members(final Profile first, final Profile second) {
    return new JsonObject()
        .with("before", ProfileJson.of(first))
        .with("after", ProfileJson.of(second))
        .with(
            "change",
            new JsonObject()
                .with("writes", ratio(second.total().writes(), first.total().writes()))
                .with("bytes", ratio(second.total().bytes(), first.total().bytes()))
                .with("seconds", ratio(second.total().nanos(), first.total().nanos())));
  }

  private static Double ratio(final long after, final long before) {
    return before == 0 ? null : (double) after / before;
  }
}
