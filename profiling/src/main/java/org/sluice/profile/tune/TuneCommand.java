package org.sluice.profile.tune;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.Defaults;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Subcommand;
import org.sluice.profile.Interruption;
import org.sluice.profile.TraceSource;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Recommends a threshold and a buffer size. */
@Command(
    name = "tune",
    description = {
      "Recommends a threshold and a buffer size for a program on this node: measures what copies,",
      "file writes and the drain cost here, and plays the program's writes over many settings.",
      "Ctrl-C ends it with what it has by then."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice tune --workload lu --dir /scratch",
      "  sluice tune app.strace --dir /scratch --write-config",
      "  sluice tune app.dxt --json | jq .recommendation"
    })
public final class TuneCommand implements Subcommand {
  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;

  @ArgGroup(multiplicity = "1")
  private TraceSource source;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      defaultValue = ".",
      description = "Where the checkpoints go; its files are measured. Default: here.")
  private Path directory;

  @Option(
      names = "--write-config",
      description = "Make what is recommended the default of serve, run and exec for this user.")
  private boolean writeConfig;

  /** For picocli. */
  public TuneCommand() {}

  @Override
  public Integer call() throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new CommandException(
          ExitStatus.FAILED, directory + " is not a directory; --dir names one to measure");
    }
    final Pattern pattern = Pattern.of(source.open());
    if (pattern.writes() == 0) {
      throw new CommandException(
          ExitStatus.FAILED, "the trace has no write of a file; there is nothing to tune for");
    }
    try (Interruption interruption = new Interruption()) {
      final Tuning tuning = Tuning.of(pattern, directory, interruption);
      if (json.wanted()) {
        json.print(spec, members(tuning));
      } else {
        TuneText.print(tuning, spec.commandLine().getOut());
      }
      if (writeConfig && tuning.isComplete()) {
        write(Recommendation.of(tuning.outcomes(), tuning.plain()));
      }
    }
    return ExitStatus.OK.code();
  }

  private void write(final Recommendation recommendation) throws IOException {
    final Path file =
        Defaults.write(
            Map.of(
                Defaults.BUFFER, recommendation.chosen().setting().bufferText(),
                Defaults.THRESHOLD, recommendation.thresholdOption()));
    if (!json.wanted()) {
      spec.commandLine().getOut().println("written to " + file);
      spec.commandLine().getOut().flush();
    }
  }

  private static Map<String, Object> members(final Tuning tuning) {
    final Map<String, Object> all = new LinkedHashMap<>();
    all.put("processes", tuning.pattern().processes().size());
    all.put("writes", tuning.pattern().writes());
    all.put("bytes", tuning.pattern().bytes());
    all.put("cores", tuning.costs().cores());
    all.put("drain_bytes_per_second", Math.round(tuning.costs().drainBytesPerSecond()));
    final List<Object> costs = new ArrayList<>();
    tuning
        .costs()
        .copy()
        .points()
        .forEach(
            (size, copy) ->
                costs.add(
                    Map.of(
                        "size", size,
                        "copy_ns", copy,
                        "write_ns", tuning.costs().write().nanos(size))));
    all.put("costs", costs);
    all.put("plain", members(tuning.plain()));
    all.put("settings", tuning.outcomes().stream().map(TuneCommand::members).toList());
    all.put("complete", tuning.isComplete());
    if (!tuning.outcomes().isEmpty()) {
      final Recommendation recommendation = Recommendation.of(tuning.outcomes(), tuning.plain());
      final Map<String, Object> chosen = members(recommendation.chosen());
      chosen.put("pays", recommendation.pays());
      chosen.put("threshold_option", recommendation.thresholdOption());
      chosen.put("reason", recommendation.sentence());
      all.put("recommendation", chosen);
    }
    return all;
  }

  private static Map<String, Object> members(final Outcome outcome) {
    final Setting setting = outcome.setting();
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("threshold", setting.threshold() == Long.MAX_VALUE ? null : setting.threshold());
    members.put("buffer", setting.buffer());
    members.put("milliseconds", outcome.nanos() / 1e6);
    members.put("memory", outcome.memory());
    members.put("waited_milliseconds", outcome.waitedNanos() / 1e6);
    return members;
  }
}
