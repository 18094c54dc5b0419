package org.sluice.profile.tune;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.Defaults;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Exits;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.profile.replay.Interruption;
import org.sluice.profile.source.TraceSource;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Trace;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Recommends a threshold and a buffer size. */
@Exits("DAMAGED NO_ROOM DENIED OTHER_VERSION")
@Command(
    name = "tune",
    description = {
      "Recommends a threshold and a buffer size for a program on this node.",
      "Measures what copies, file writes and the drain cost here. Then replays the program's writes,"
          + " plain and with the settings that may be best, in turn; of more than 2 GiB the first of"
          + " each process. Recommends what was best. Ctrl-C ends it with what it has by then."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice tune --workload lu --dir /scratch",
      "  sluice tune app.strace --dir /scratch --write-config",
      "  sluice tune app.dxt --json | jq .recommendation"
    })
public final class TuneCommand implements Subcommand {
  private static final long MOST_BYTES = 2L << 30;

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
      description = "Recommend a buffer that holds all writes between two pauses, untried.")
  private boolean costsOnly;

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
    final Trace whole = source.open();
    final Survey survey = Survey.of(whole);
    if (survey.isEmpty()) {
      throw new CommandException(
          ExitStatus.FAILED, "the trace has no write of a file; there is nothing to tune for");
    }
    try (Interruption interruption = new Interruption()) {
      final NodeCosts costs = NodeCosts.of(directory, interruption);
      final Trace trace = Excerpt.of(whole, survey, MOST_BYTES);
      final List<Setting> settings = Candidates.of(whole, survey);
      final List<Trial> trials =
          costsOnly || interruption.isRequested()
              ? List.of()
              : new Trials(directory, interruption)
                  .of(trace, Survey.of(trace), settings, costs.drain());
      final Recommendation recommendation =
          trials.isEmpty()
              ? Recommendation.unmeasured(settings.getFirst())
              : Recommendation.of(trials);
      final boolean complete =
          costsOnly || !trials.isEmpty() && trials.getFirst().rounds().size() == Trials.ROUNDS;
      if (json.wanted()) {
        json.print(spec, members(survey, costs, trials, recommendation, complete));
      } else {
        print(survey, costs, trials, trace != whole, complete);
      }
      if (writeConfig && complete) {
        write(recommendation.setting());
      }
      if (!json.wanted()) {
        say(recommendation.reason());
      }
    }
    return ExitStatus.OK.code();
  }

  private void say(final String line) {
    spec.commandLine().getOut().println(line);
    spec.commandLine().getOut().flush();
  }

  private void print(
      final Survey survey,
      final NodeCosts costs,
      final List<Trial> trials,
      final boolean excerpt,
      final boolean complete) {
    final PrintWriter out = spec.commandLine().getOut();
    TuneText.printCosts(survey, costs, out);
    trials.forEach(trial -> TuneText.printTrial(trial, out));
    if (!trials.isEmpty()) {
      out.println();
    }
    if (excerpt && !trials.isEmpty()) {
      out.printf(
          "Only the first writes of each process were replayed, %s of all.%n",
          SizeConverter.format(MOST_BYTES));
    }
    if (!complete) {
      out.printf(
          "Interrupted: %d of %d rounds of replays are complete.%n",
          trials.isEmpty() ? 0 : trials.getFirst().rounds().size(), Trials.ROUNDS);
    }
    out.flush();
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
      say(said);
    }
  }

  private static Map<String, Object> members(
      final Survey survey,
      final NodeCosts costs,
      final List<Trial> trials,
      final Recommendation recommendation,
      final boolean complete) {
    final Map<String, Object> all = new LinkedHashMap<>();
    all.put("processes", survey.origins().size());
    all.put("writes", survey.tally().writes());
    all.put("bytes", survey.tally().bytes());
    all.put("cores", costs.cores());
    all.put("drain_bytes_per_second", Math.round(costs.drain()));
    all.put("costs", costs.costs().stream().map(TuneCommand::members).toList());
    all.put("complete", complete);
    all.put("replays", trials.stream().map(TuneCommand::members).toList());
    final Map<String, Object> chosen = members(recommendation.setting().orElse(Setting.PLAIN));
    chosen.put("pays", trials.isEmpty() ? null : recommendation.setting().isPresent());
    chosen.put("milliseconds", recommendation.millis().orElse(null));
    chosen.put("reason", recommendation.reason());
    all.put("recommendation", chosen);
    return all;
  }

  private static Map<String, Object> members(final NodeCosts.Cost cost) {
    return Map.of("size", cost.size(), "copy_ns", cost.copy(), "write_ns", cost.write());
  }

  private static Map<String, Object> members(final Trial trial) {
    final Map<String, Object> members = members(trial.setting());
    members.put("milliseconds", trial.millis());
    members.put("memory", trial.peak());
    members.put("waited_milliseconds", trial.waitedMillis());
    return members;
  }

  /** A buffer of 0 is plain writes. */
  private static Map<String, Object> members(final Setting setting) {
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("threshold", setting.threshold() == Long.MAX_VALUE ? null : setting.threshold());
    members.put("threshold_option", setting.thresholdOption());
    members.put("buffer", setting.buffer());
    return members;
  }
}
