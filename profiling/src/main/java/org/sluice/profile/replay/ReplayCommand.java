package org.sluice.profile.replay;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.bridge.NativeLibraries;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.Progress;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.Subcommand;
import org.sluice.profile.source.TraceSource;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Trace;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The command that replays the writes of a trace. */
public final class ReplayCommand implements Subcommand {
  /** The pattern by which all files belong to one checkpoint: others would not be logged. */
  private static final String ALL = ".";

  private final JsonOption json = new JsonOption();

  private final TraceSource source = new TraceSource();

  private Path directory;
  private Path store;
  private String layout;
  private String threshold;
  private String buffer;
  private boolean flatOut;
  private boolean verify;

  private final CommandSpec spec =
      Model.of(this, "replay")
          .describe(
              "Makes the writes of a trace once more, plain or through Sluice.",
              "With as many processes, and through Sluice with any setting. Says how long the slowest"
                  + " process was in its calls to open, write and close, and when all was on stable storage."
                  + " Files and store are new ones in the directories named, and gone afterwards. Ctrl-C ends"
                  + " it with what it has by then.")
          .exits(
              ExitStatus.DAMAGED, ExitStatus.NO_ROOM, ExitStatus.DENIED, ExitStatus.OTHER_VERSION)
          .add(json)
          .addOneOf(source)
          .add(
              option(Path.class, value -> directory = value, "--dir")
                  .paramLabel("DIR")
                  .description("Where the files go; default: the store's directory, or else here."))
          .add(
              option(Path.class, value -> store = value, "--store")
                  .paramLabel("DIR")
                  .description(
                      "Go through Sluice, with a store in this directory; default: plain files."))
          .add(
              option(String.class, value -> layout = value, "--layout")
                  .paramLabel("container|files")
                  .description("With --store; default: files."))
          .add(
              option(String.class, value -> threshold = value, "--threshold")
                  .paramLabel("auto|fixed:SIZE")
                  .description("With --store: as of sluice run."))
          .add(
              option(String.class, value -> buffer = value, "--buffer")
                  .paramLabel("SIZE")
                  .description("With --store: as of sluice run."))
          .add(
              flag(value -> flatOut = value, "--flat-out")
                  .description("Leave out all pauses; default: each write has the time it had."))
          .add(
              flag(value -> verify = value, "--verify")
                  .description("Read the files afterwards, and compare."))
          .examples(
              "  sluice profile replay sluice.trace --dir /scratch",
              "  sluice profile replay sluice.trace --store /scratch --threshold fixed:64K",
              "  sluice profile replay --workload lu --store /scratch --layout container \\",
              "      --flat-out")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    if (store == null && !options().isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "%s needs --store".formatted(options().getFirst()));
    }
    final Trace trace = source.open();
    final Survey survey = Survey.of(trace);
    if (survey.isEmpty()) {
      throw new CommandException(
          ExitStatus.FAILED, "the trace has no write of a file; there is nothing to replay");
    }
    final Path files = directory != null ? directory : store != null ? store : Path.of("");
    try (Interruption interruption = new Interruption();
        Scratch scratch = new Scratch(files);
        Scratch storage = new Scratch(store == null ? files : store)) {
      final Place place =
          store == null ? Place.plain(scratch) : Place.through(scratch, storage, options());
      final Replay replay =
          Replay.of(trace, scratch, flatOut ? Optional.of(Duration.ZERO) : Optional.empty());
      final ReplayResult result;
      try (Progress progress = Progress.begin("replay", survey.tally().bytes())) {
        result = replay.run(place, progress, interruption);
      }
      if (verify && !result.stopped()) {
        replay.verify(isContainer() ? restore(place, storage) : place.files());
      }
      print(survey, result);
    }
    return ExitStatus.OK.code();
  }

  private boolean isContainer() {
    return layout != null && layout.equalsIgnoreCase("container");
  }

  private List<String> options() {
    final List<String> options = new ArrayList<>();
    add(options, "--layout", layout);
    add(options, "--group", isContainer() ? ALL : null);
    add(options, "--threshold", threshold);
    add(options, "--buffer", buffer);
    return options;
  }

  private static void add(final List<String> options, final String name, final String value) {
    if (value != null) {
      options.add(name + "=" + value);
    }
  }

  /** Restores the images of the container layout, which are no files before that. */
  private static Path restore(final Place place, final Scratch storage) throws IOException {
    final Path target = storage.file("restored");
    Replay.check(
        List.of(
            NativeLibraries.sluice().toString(),
            "restore",
            "--store=" + place.store().orElseThrow(),
            "--to=" + target));
    return target;
  }

  private void print(final Survey survey, final ReplayResult result) throws IOException {
    if (json.wanted()) {
      json.print(members(result));
      return;
    }
    final PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "replayed %d writes of %d processes, %s%s%n",
        result.writes(),
        survey.origins().size(),
        SizeConverter.format(result.bytes()),
        result.stopped() ? "; stopped before the end" : "");
    out.printf(
        "return:  %.3f s, the slowest process in its calls; recorded: %.3f s in writes%n",
        result.costs().calls() / 1e9, survey.slowestNanos() / 1e9);
    out.printf(
        "last:    %.3f s after the start the last call returned%n", result.moments().ended() / 1e9);
    out.printf("durable: %.3f s after the start%n", result.moments().durable() / 1e9);
    if (store != null) {
      out.printf(
          "buffer:  %s at most in use; processes waited %.3f s for room, summed%n",
          SizeConverter.format(result.buffer().peak()), result.buffer().waitedSeconds());
    }
    if (verify && !result.stopped()) {
      out.println("verified: every byte is what was written");
    }
  }

  private JsonObject members(final ReplayResult result) {
    return new JsonObject()
        .with("writes", result.writes())
        .with("bytes", result.bytes())
        .with("return_seconds", result.costs().calls() / 1e9)
        .with("span_seconds", result.moments().ended() / 1e9)
        .with("durable_seconds", result.moments().durable() / 1e9)
        .with("peak_buffer_bytes", result.buffer().peak())
        .with("waited_seconds", result.buffer().waitedSeconds())
        .with("stopped", result.stopped())
        .with("verified", verify && !result.stopped());
  }
}
