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

/** The command that has CRIU dump processes into a checkpoint. */
public final class CriuDumpCommand implements Subcommand {
  private final CommandSpec spec =
      Model.of(this, "dump")
          .describe(
              "Has CRIU dump processes with all below them, and waits until the checkpoint is committed."
                  + " A process ends once the checkpoint is committed, unless it is to be left running."
                  + " If anything fails nothing is committed, and the processes run on.",
              "Exits like criu when that fails: 127 when it is not found, 10 when it is older than 3.15, 9"
                  + " when it may not dump. A signal N ends it with 128+N. With 4 there is no such process.")
          .examples(
              "  sluice criu dump --store /scratch/store -t 4711 --leave-running",
              "  sluice criu dump --store /scratch/store -t 4711 -t 4712 -- --shell-job",
              "  sluice criu dump --store /scratch/store -t \"$(pgrep -x app)\" \\",
              "      --every 10m --keep 2 -- --tcp-established")
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
              value(
                      "PID",
                      "The process to dump. Given several times, all are one checkpoint.",
                      "-t",
                      "--tree")
                  .required(true))
          .add(
              flag(value -> {}, "--leave-running")
                  .description("Let the processes run on, from where they were frozen."))
          .add(
              value(
                  "TIME",
                  "Dump again each time this is over, such as 10m, until a process has ended. They are left"
                      + " running. A dump that fails is said, and the next one is tried.",
                  "--every"))
          .add(
              value(
                  "N",
                  "The checkpoint's number; default: the one behind the highest.",
                  "--checkpoint"))
          .add(new WriterOptions("dump"))
          .add(
              parameters(String.class, value -> {})
                  .paramLabel("OPTION")
                  .description("Options for criu dump, after --; none of -t, -D and --stream."))
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
