package org.sluice.iop;

import static org.sluice.core.command.Model.flag;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import picocli.CommandLine.Model.CommandSpec;

/** Says how recovery can be rehearsed. */
public final class CheckCommand implements Subcommand {
  private static final String LINE = "%-18s %-56s %-48s %s%n";

  private final JsonOption json = new JsonOption();

  private boolean faults;

  private final CommandSpec spec =
      Model.of(this, "check")
          .describe(
              "Lists the points in the life of a checkpoint at which a fault can be asked for.",
              "serve, run and exec take one from the environment:"
                  + " SLUICE_FAULT=[after-]POINT[:ACTION][@N],...",
              "Without ACTION the I/O process kills itself before that step, or after it. ACTION fails the"
                  + " step with an errno (ENOSPC, EDQUOT, EIO, EROFS, ...), lets it write half at first"
                  + " (short), or kills the I/O process when half is written (torn).",
              "@N means the Nth time instead of the first, @N-M the Nth to the Mth, @N- all from the Nth"
                  + " on.")
          .add(json)
          .add(
              flag(value -> faults = value, "--faults")
                  .required(true)
                  .description("List the fault points."))
          .examples(
              "  sluice check --faults",
              "  SLUICE_FAULT=after-index-fsync sluice serve --store /scratch/store",
              "  sluice serve --store /scratch/store --resume    # goes on after that",
              "  SLUICE_FAULT=container-write:ENOSPC@3- sluice run --store /scratch/store \\",
              "      --capture /scratch/run --layout container -- ./app")
          .spec();

  /** For {@code ServiceLoader}. */
  public CheckCommand() {}

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    if (json.wanted()) {
      final List<Object> points =
          Arrays.stream(FaultPoint.values()).<Object>map(CheckCommand::members).toList();
      json.print(spec, Map.of("variable", Fault.VARIABLE, "points", points));
    } else {
      printTable();
    }
    return ExitStatus.OK.code();
  }

  private static Map<String, Object> members(final FaultPoint point) {
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("point", point.label());
    members.put("step", point.step());
    members.put("killed", point.killed());
    members.put("failed", point.failed());
    members.put(
        "actions", point.actions().stream().map(a -> a.name().toLowerCase(Locale.ROOT)).toList());
    return members;
  }

  private void printTable() {
    final PrintWriter out = spec.commandLine().getOut();
    out.printf(LINE, "POINT", "WHAT IT DOES", "IF KILLED", "IF IT FAILS");
    for (final FaultPoint point : FaultPoint.values()) {
      out.printf(LINE, point.label(), point.step(), point.killed(), point.failed());
    }
    out.printf(
        "%n:short and :torn at %s%n",
        Arrays.stream(FaultPoint.values())
            .filter(point -> point.actions().contains(Fault.Action.TORN))
            .map(FaultPoint::label)
            .collect(Collectors.joining(", ")));
    out.flush();
  }
}
