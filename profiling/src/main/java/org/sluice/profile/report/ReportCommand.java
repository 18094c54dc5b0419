package org.sluice.profile.report;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;
import static org.sluice.core.command.Model.parameter;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import org.sluice.profile.source.Traces;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The command that shows the write pattern of a trace. */
public final class ReportCommand implements Subcommand {
  private final JsonOption json = new JsonOption();

  private boolean csv;
  private Path html;
  private Path file;

  private final CommandSpec spec =
      Model.of(this, "report")
          .describe(
              "Shows which writes a program makes.",
              "Totals for each node, and how writes, data and time divide by size. FILE is a recorded"
                  + " trace, strace or Darshan DXT text.")
          .exits(
              ExitStatus.DAMAGED, ExitStatus.NO_ROOM, ExitStatus.DENIED, ExitStatus.OTHER_VERSION)
          .add(json)
          .add(
              flag(value -> csv = value, "--csv")
                  .description("Print the table of sizes as comma-separated values."))
          .add(
              option(Path.class, value -> html = value, "--html")
                  .paramLabel("OUT")
                  .description("Write a page with pictures, which needs nothing but a browser."))
          .add(
              parameter(Path.class, value -> file = value)
                  .paramLabel("FILE")
                  .description("The trace; told by its content."))
          .examples(
              "  sluice profile report trace/",
              "  sluice profile report trace/ --html profile.html",
              "  strace -f -ttt -T -y -o app.strace mpirun -n 8 ./app",
              "  sluice profile report app.strace --csv",
              "  darshan-dxt-parser app.darshan >app.dxt",
              "  sluice profile report app.dxt --json |",
              "      jq '.classes[] | [.label, .percent_of_data]'")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

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
      json.print(ProfileJson.of(profile));
    } else if (csv) {
      ProfileCsv.print(profile, out);
    } else {
      ProfileText.print(profile, out);
    }
    return ExitStatus.OK.code();
  }
}
