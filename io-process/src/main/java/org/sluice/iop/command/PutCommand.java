package org.sluice.iop.command;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.parameters;
import static org.sluice.iop.command.WriterOptions.value;

import java.io.IOException;
import org.sluice.bridge.NativeLibraries;
import org.sluice.bridge.NativeProgram;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command {@code sluice put}, a native program that puts a stream into a checkpoint. This class
 * has the command's options and help. {@code scripts/sluice} starts the program without a JVM.
 */
public final class PutCommand implements Subcommand {
  private final CommandSpec spec =
      Model.of(this, "put")
          .describe(
              "Puts what a command prints, or standard input, into a checkpoint, and waits until that is"
                  + " committed. A stream that is not whole is given up, and nothing is committed.",
              "A command's output is whole when the command ends with status 0. The end of a pipe proves"
                  + " nothing, so standard input needs --bytes, --expect-trailer or --trust-eof.",
              "Exits like the command when that fails: 128+N when signal N killed it, 127 when it is not"
                  + " found, 126 when it cannot be executed. A signal N to put ends it with 128+N. With 6"
                  + " a number is committed already, or another process has the rank.")
          .examples(
              "  sluice put --store /scratch/store --checkpoint 7 --name db.tar \\",
              "      -- pg_basebackup -D - -Ft",
              "  ssh node7 'tar -c /data' | sluice put --store /scratch/store \\",
              "      --checkpoint 8 --name data.tar --trust-eof",
              "  sluice put --store /scratch/store --checkpoint 9 --name state \\",
              "      --join \"$SLURM_PROCID\" --of 8 -- ./dump-state",
              "  sluice get --store /scratch/store --name db.tar | tar -x")
          .exits(
              ExitStatus.NO_STORE,
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
          .add(value("N", "The checkpoint's number, 0 or more.", "--checkpoint").required(true))
          .add(
              value("NAME", "The image's name, a relative path without '..'.", "--name")
                  .required(true))
          .add(value("R", "The rank whose image this is; default: 0.", "--rank"))
          .add(
              value(
                  "R",
                  "This is rank R of those of --of, which begin in any order on this node: their"
                      + " streams are one checkpoint. It is committed when all are whole, and given up"
                      + " when one fails.",
                  "--join"))
          .add(value("N", "With --join: how many streams the checkpoint has.", "--of"))
          .add(value("N", "The stream is whole if it ends behind exactly N bytes.", "--bytes"))
          .add(
              value(
                  "sha256",
                  "The stream is whole if its last line is the SHA-256 of all bytes before, in 64"
                      + " hexadecimal digits. That line is not stored.",
                  "--expect-trailer"))
          .add(
              flag(value -> {}, "--trust-eof")
                  .description(
                      "The stream is whole where it ends, however its producer ended. An empty one is"
                          + " refused."))
          .add(new WriterOptions("put"))
          .add(
              parameters(String.class, value -> {})
                  .paramLabel("CMD")
                  .arity("0..*")
                  .description("The command and its arguments, after --."))
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    return NativeProgram.run(NativeLibraries.put(), spec);
  }
}
