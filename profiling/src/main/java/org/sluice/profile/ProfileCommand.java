package org.sluice.profile;

import org.sluice.core.command.Subcommand;
import org.sluice.profile.replay.ReplayCommand;
import org.sluice.profile.report.CompareCommand;
import org.sluice.profile.report.ReportCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups what has to do with traces of writes. */
@Command(
    name = "profile",
    description = "Shows which writes a program makes, to choose a threshold by.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      RecordCommand.class,
      LiveCommand.class,
      ReportCommand.class,
      CompareCommand.class,
      ReplayCommand.class,
      ImportCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice profile record --capture /scratch/run -- mpirun -n 8 ./heat",
      "  sluice profile report sluice.trace --html profile.html",
      "  strace -f -ttt -T -y -o app.strace mpirun -n 8 ./app",
      "  sluice profile compare sluice.trace app.strace"
    })
public final class ProfileCommand implements Subcommand {
  @Spec private CommandSpec spec;

  /** For picocli. */
  public ProfileCommand() {}

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "say which command of profile");
  }
}
