package org.sluice.profile.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Exits;
import org.sluice.core.command.JsonOption;
import org.sluice.profile.source.Traces;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the write pattern of a trace. */
@Exits("DAMAGED NO_ROOM DENIED OTHER_VERSION")
@Command(
    name = "report",
    description = {
      "Shows which writes a program makes.",
      "Totals for each node, and how writes, data and time divide by size. FILE is a recorded"
          + " trace, strace or Darshan text."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice profile report trace/",
      "  sluice profile report trace/ --html profile.html",
      "  strace -f -ttt -T -y -o app.strace mpirun -n 8 ./app",
      "  sluice profile report app.strace --csv",
      "  darshan-dxt-parser app.darshan >app.dxt",
      "  sluice profile report app.dxt --json |",
      "      jq '.classes[] | [.label, .percent_of_data]'"
    })
public final class ReportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;

  @Option(names = "--csv", description = "Print the table of sizes as comma-separated values.")
  private boolean csv;

  @Option(
      names = "--html",
      paramLabel = "OUT",
      description = "Write a page with pictures, which needs nothing but a browser.")
  private Path html;

  @Parameters(paramLabel = "FILE", description = "The trace; told by its content.")
  private Path file;

  /** For picocli. */
  public ReportCommand() {}

  @Override
  public Integer call() throws IOException {
    if (csv && json.wanted()) {
      throw new ParameterException(spec.commandLine(), "--csv and --json exclude each other");
    }
    final Profile profile = new Profile(Traces.name(file), Traces.open(file));
    final PrintWriter out = spec.commandLine().getOut();
    if (html != null) {
      ProfilePage.write(profile, html);
    }
    if (json.wanted()) {
      json.print(spec, ProfileJson.of(profile));
    } else if (csv) {
      ProfileCsv.print(profile, out);
    } else {
      ProfileText.print(profile, out);
    }
    return ExitStatus.OK.code();
  }
}
