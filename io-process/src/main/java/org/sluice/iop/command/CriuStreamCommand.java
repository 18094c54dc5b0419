package org.sluice.iop.command;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.parameters;
import static org.sluice.iop.command.WriterOptions.value;

import java.io.IOException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import picocli.CommandLine.Model.CommandSpec;

/** The command that takes the images of a CRIU that others start, or gives them to one. */
public final class CriuStreamCommand implements Subcommand {
  private final CommandSpec spec =
      Model.of(this, "stream")
          .describe(
              "Takes the images of one criu dump --stream -D DIR into a checkpoint, or gives them to one"
                  + " criu restore --stream -D DIR. CRIU may begin when its socket is in DIR.",
              "A dump is whole when CMD ends with status 0, and the last image that CRIU writes is whole."
                  + " Without CMD that image alone tells.")
          .examples(
              "  sluice criu stream /run/images --store /scratch/store -- \\",
              "      criu dump --stream -D /run/images -t 4711 --leave-running",
              "  sluice criu stream /run/images --store /scratch/store --serve -- \\",
              "      criu restore --stream -D /run/images")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.NOT_FOUND,
              ExitStatus.DAMAGED,
              ExitStatus.EXISTS,
              ExitStatus.BUSY,
              ExitStatus.NO_ROOM,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION,
              ExitStatus.FEW_DESCRIPTORS,
              ExitStatus.CRASHED,
              ExitStatus.PREEMPTED)
          .add(new StoreOption())
          .add(
              flag(value -> {}, "--serve")
                  .description("Give the images of a checkpoint to a restore."))
          .add(
              value(
                  "N|NAME",
                  "The checkpoint's number; default: the one behind the highest, with --serve the one"
                      + " committed last.",
                  "--checkpoint"))
          .add(new WriterOptions("stream"))
          .add(
              parameters(String.class, value -> {})
                  .paramLabel("WORD")
                  .description(
                      "The images directory; after -- a command that runs criu, and its arguments."))
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
