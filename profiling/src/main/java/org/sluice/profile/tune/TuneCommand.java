package org.sluice.profile.tune;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.Defaults;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.profile.Interruption;
import org.sluice.profile.TraceSource;
import org.sluice.profile.trace.Trace;
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
      "Recommends a threshold and a buffer size for a program on this node.",
      "Measures what copies, file writes and the drain cost here, models the program's writes over"
          + " many settings, and replays the best one and its neighbours; more than 2 GiB are not"
          + " replayed. Ctrl-C ends it with what it has by then."
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
      names = "--no-replay",
      description =
          "Trust the model; default: what it recommends is replayed, with its neighbours.")
  private boolean modelOnly;

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
    final Trace trace = source.open();
    try (Interruption interruption = new Interruption()) {
      final Pattern pattern = Pattern.of(trace);
      if (pattern.writes() == 0) {
        throw new CommandException(
            ExitStatus.FAILED, "the trace has no write of a file; there is nothing to tune for");
      }
      final Tuning tuning = Tuning.of(pattern, directory, interruption);
      final Optional<Validation> validation = validate(tuning, trace, interruption);
      if (json.wanted()) {
        json.print(spec, members(tuning, validation));
      } else {
        TuneText.print(tuning, validation, spec.commandLine().getOut());
      }
      if (writeConfig && tuning.isComplete()) {
        final Setting chosen =
            Recommendation.of(tuning.outcomes(), tuning.plain()).chosen().setting();
        write(validation.isPresent() ? validation.get().settle(chosen) : Optional.of(chosen));
      }
    }
    return ExitStatus.OK.code();
  }

  private Optional<Validation> validate(
      final Tuning tuning, final Trace trace, final Interruption interruption) throws IOException {
    return modelOnly || !tuning.isComplete() || Validation.isTooLarge(tuning.pattern())
        ? Optional.empty()
        : Optional.of(Validation.of(tuning, trace, directory, interruption));
  }

  private void write(final Optional<Setting> setting) throws IOException {
    String said = "nothing written, since plain writes were faster";
    if (setting.isPresent()) {
      final Path file =
          Defaults.write(
              Map.of(
                  Defaults.BUFFER, setting.get().bufferText(),
                  Defaults.THRESHOLD, setting.get().thresholdOption()));
      said = "written to " + Quoting.name(file.toString());
    }
    if (!json.wanted()) {
      spec.commandLine().getOut().println(said);
      spec.commandLine().getOut().flush();
    }
  }

  private static Map<String, Object> members(
      final Tuning tuning, final Optional<Validation> validation) {
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
    validation
        .filter(v -> !v.checks().isEmpty())
        .ifPresent(
            v -> {
              all.put("replays", v.checks().stream().map(TuneCommand::members).toList());
              all.put("replays_say", v.sentence());
            });
    return all;
  }

  private static Map<String, Object> members(final Validation.Check check) {
    final Map<String, Object> members = members(check.modelled());
    members.put("replayed_milliseconds", check.nanos() / 1e6);
    return members;
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
