package org.sluice.profile;

import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import org.sluice.profile.replay.ReplayCommand;
import org.sluice.profile.report.CompareCommand;
import org.sluice.profile.report.ReportCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Groups what has to do with traces of writes. */
public final class ProfileCommand implements Subcommand {

  private final CommandSpec spec =
      Model.of(this, "profile")
          .describe("Shows which writes a program makes, to choose a threshold by.")
          .add(new RecordCommand())
          .add(new LiveCommand())
          .add(new ReportCommand())
          .add(new CompareCommand())
          .add(new ReplayCommand())
          .add(new ImportCommand())
          .examples(
              "  sluice profile record --capture /scratch/run -- mpirun -n 8 ./heat",
              "  sluice profile report sluice.trace --html profile.html",
              "  strace -f -ttt -T -y -o app.strace mpirun -n 8 ./app",
              "  sluice profile compare sluice.trace app.strace")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "say which command of profile");
  }
}
