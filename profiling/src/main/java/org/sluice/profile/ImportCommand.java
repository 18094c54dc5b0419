package org.sluice.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Exits;
import org.sluice.core.posix.Quoting;
import org.sluice.profile.replay.Scratch;
import org.sluice.profile.source.Traces;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.RecordedTrace;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TraceWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Turns the text of another tool into a recorded trace. */
@Exits("DAMAGED EXISTS NO_ROOM DENIED OTHER_VERSION")
@Command(
    name = "import",
    description = {
      "Makes a recorded trace of strace or Darshan text.",
      "It has a tenth of its size and is fit for all commands. They read the text itself as well."
    },
    footerHeading = "%nExamples:%n",
    footer = "  sluice profile import app.strace --to trace/")
public final class ImportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--to",
      paramLabel = "DIR",
      required = true,
      description = "The trace; a directory that does not exist yet.")
  private Path target;

  @Parameters(paramLabel = "FILE", description = "What to read; told by its content.")
  private Path file;

  /** For picocli. */
  public ImportCommand() {}

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
