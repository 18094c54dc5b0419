package org.sluice.iop.command;

import static org.sluice.core.command.Model.parameters;
import static org.sluice.iop.command.WriterOptions.value;

import java.io.IOException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import picocli.CommandLine.Model.CommandSpec;

/** The command that has CRIU restore the processes of a checkpoint. */
public final class CriuRestoreCommand implements Subcommand {
  private final CommandSpec spec =
      Model.of(this, "restore")
          .describe(
              "Has CRIU restore the processes of a checkpoint. All of the checkpoint is verified before"
                  + " CRIU starts.",
              "Exits like criu, which waits for a restored process unless --restore-detached is among its"
                  + " options. Signals go to that process then. With 127 criu is not found, with 10 it is older than 3.15.")
          .examples(
              "  sluice criu restore --store /scratch/store",
              "  sluice criu restore 7 --store /scratch/store -- --restore-detached",
              "  sluice criu restore --store s3://bucket/ckpt -- --shell-job")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.NOT_FOUND,
              ExitStatus.DAMAGED,
              ExitStatus.NO_ROOM,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION)
          .add(new StoreOption())
          .add(value("NAME", "As for get.", "--series"))
          .add(new JsonOption())
          .add(
              parameters(String.class, value -> {})
                  .paramLabel("WORD")
                  .description(
                      "The checkpoint's number or name, if not the one committed last; options for criu"
                          + " restore, after --."))
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    return CriuCommand.run(spec);
  }
}
