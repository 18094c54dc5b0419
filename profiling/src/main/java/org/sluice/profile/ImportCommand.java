package org.sluice.profile;

import static org.sluice.core.command.Model.option;
import static org.sluice.core.command.Model.parameter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.profile.replay.Scratch;
import org.sluice.profile.source.Traces;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.RecordedTrace;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TraceWriter;
import picocli.CommandLine.Model.CommandSpec;

/** Turns the text of another tool into a recorded trace. */
final class ImportCommand implements Subcommand {

  private Path target;
  private Path file;

  private final CommandSpec spec =
      Model.of(this, "import")
          .describe(
              "Makes a recorded trace of strace or Darshan DXT text.",
              "It has a tenth of its size and is fit for all commands. They read the text itself as well.")
          .exits(
              ExitStatus.DAMAGED,
              ExitStatus.EXISTS,
              ExitStatus.NO_ROOM,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION)
          .add(
              option(Path.class, value -> target = value, "--to")
                  .paramLabel("DIR")
                  .required(true)
                  .description("The trace; a directory that does not exist yet."))
          .add(
              parameter(Path.class, value -> file = value)
                  .paramLabel("FILE")
                  .description("What to read; told by its content."))
          .examples("  sluice profile import app.strace --to trace/")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    final Trace trace = Traces.open(file);
    Files.createDirectory(target);
    boolean complete = false;
    final Omissions omissions;
    try {
      omissions = TraceWriter.copy(trace, target);
      complete = true;
    } finally {
      if (!complete) {
        Scratch.delete(target);
      }
    }
    final Survey survey = Survey.of(RecordedTrace.of(target));
    spec.commandLine()
        .getOut()
        .printf(
            "imported %d writes of %d processes to %s%n",
            survey.tally().writes(), survey.origins().size(), Quoting.name(target.toString()));
    Traces.print(omissions, spec.commandLine().getOut());
    return ExitStatus.OK.code();
  }
}
