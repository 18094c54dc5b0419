package org.sluice.profile.tune;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.Defaults;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.profile.replay.Interruption;
import org.sluice.profile.source.TraceSource;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Trace;
import picocli.CommandLine.Model.CommandSpec;

/** The command that recommends a threshold and a buffer size. */
public final class TuneCommand implements Subcommand {
  private static final long MOST_BYTES = 2L << 30;

  private final JsonOption json = new JsonOption();

  private final TraceSource source = new TraceSource();

  private Path directory;
  private boolean costsOnly;
  private boolean writeConfig;

  private final CommandSpec spec =
      Model.of(this, "tune")
          .describe(
              "Recommends a threshold and a buffer size for a program on this node.",
              "Measures what copies, file writes and the drain cost here. Then replays the program's writes,"
                  + " plain and with the settings that may be best, in turn; of more than 2 GiB the first of"
                  + " each process. Recommends what was best. Ctrl-C ends it with what it has by then.")
          .exits(
              ExitStatus.DAMAGED, ExitStatus.NO_ROOM, ExitStatus.DENIED, ExitStatus.OTHER_VERSION)
          .add(json)
          .addOneOf(source)
          .add(
              option(Path.class, value -> directory = value, "--dir")
                  .paramLabel("DIR")
                  .defaultValue(".")
                  .description("Where the checkpoints go; its files are measured. Default: here."))
          .add(
              flag(value -> costsOnly = value, "--no-replay")
                  .description(
                      "Recommend a buffer that holds all writes between two pauses, untried."))
          .add(
              flag(value -> writeConfig = value, "--write-config")
                  .description(
                      "Make what is recommended the default of serve and run for this user."))
          .examples(
              "  sluice tune --workload lu --dir /scratch",
              "  sluice tune app.strace --dir /scratch --write-config",
              "  sluice tune app.dxt --json | jq .recommendation")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

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
      final List<Setting> settings = Candidates.of(whole, survey);
      final List<Trial> trials =
          costsOnly || interruption.isRequested()
              ? List.of()
              : new Trials(directory, interruption)
                  .of(Excerpt.of(whole, survey, MOST_BYTES), settings, costs.drain());
      final Recommendation advice =
          trials.isEmpty()
              ? Recommendation.unmeasured(settings.getFirst())
              : Recommendation.of(trials);
      final Tuning tuning = new Tuning(survey, costs, trials, advice, costsOnly);
      if (json.wanted()) {
        json.print(tuning.members());
      } else {
        tuning.print(MOST_BYTES, spec.commandLine().getOut());
      }
      if (writeConfig && tuning.isComplete()) {
        write(advice.setting());
      }
      say(advice.reason());
    }
    return ExitStatus.OK.code();
  }

  private void say(final String line) {
    if (!json.wanted()) {
      spec.commandLine().getOut().println(line);
    }
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
    say(said);
  }
}
