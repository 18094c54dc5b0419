package org.sluice.iop.command;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;
import static org.sluice.core.command.Model.parameters;

import java.io.IOException;
import java.util.function.Consumer;
import org.sluice.bridge.NativeLibraries;
import org.sluice.bridge.NativeProgram;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import org.sluice.iop.wave.Protocols;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command {@code sluice mpi}, a native program that runs the command of a launcher, and again
 * when it fails. This class has the command's options and help, from which the native program's
 * table is generated.
 */
public final class MpiCommand implements Subcommand {
  private static final Consumer<String> NATIVE = value -> {};

  private final CommandSpec spec =
      Model.of(this, "mpi")
          .describe(
              "Runs an MPI program that says by sluice_mpi.h what it needs and where it can be"
                  + " checkpointed. When it fails the command is run again, and the program goes on from the"
                  + " newest checkpoint of all ranks, or anew where there is none.",
              "A job goes on from the newest checkpoint in its store, also from one of a job before. Name another"
                  + " --store to begin anew.",
              "On several nodes put sluice run before the program: it takes the store and all else from"
                  + " sluice mpi, under any launcher that passes its environment, and under Open MPI.",
              "SIGUSR1 asks for a checkpoint. SIGTERM, SIGINT, SIGQUIT and SIGHUP go to the command, which is not run"
                  + " again. Each run reads a file that is standard input from where the first began.",
              "Exits like the command. It is not run again where that would help nothing: after 2, wrong"
                  + " usage, or a store that cannot be read; 3, what the program does cannot be carried, or it does"
                  + " not fit the checkpoint; 126 and 127, it cannot be run; nor where its I/O process cannot begin.")
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
          .add(
              option(String.class, NATIVE, "--store")
                  .paramLabel("STORE")
                  .description(
                      "Where checkpoints are kept: a directory, or a URI such as s3://BUCKET/PREFIX. That"
                          + " wants a stage on each node, by SLUICE_STAGE or --run=--stage=DIR; default:"
                          + " environment SLUICE_STORE."))
          .add(
              option(String.class, NATIVE, "--series")
                  .paramLabel("NAME")
                  .description(
                      "The series of checkpoints that the job goes on with, in a store that several nodes may"
                          + " use. Default: 'default' in such a store."))
          .add(
              option(String.class, NATIVE, "--protocol")
                  .paramLabel(String.join("|", Protocols.names()))
                  .description(Protocols.help()))
          .add(
              option(String.class, NATIVE, "--snapshot")
                  .paramLabel("copy|fork|auto")
                  .description(
                      "copy: each rank copies its memory and goes on; fork: a forked child does, while the rank"
                          + " goes on; auto: the one that holds the program up less, by the first checkpoints."
                          + " Default: auto."))
          .add(
              option(String.class, NATIVE, "--write")
                  .paramLabel("full|incremental|auto")
                  .description(
                      "incremental: memory that is as it was in the last checkpoint is not written again;"
                          + " full: all is; auto: incremental where that takes less time, by the first"
                          + " checkpoints. Default: auto."))
          .add(
              option(String.class, NATIVE, "--every")
                  .paramLabel("TIME")
                  .description(
                      "A checkpoint so long after the former one, such as 10m or 500ms; 0: only when asked"
                          + " for. Default: 10m."))
          .add(
              option(String.class, NATIVE, "--patience")
                  .paramLabel("TIME")
                  .description("A checkpoint that is not whole by then is given up. Default: 60s."))
          .add(
              option(String.class, NATIVE, "--differences")
                  .paramLabel("stop|tell")
                  .description(
                      "A restart compares what is sent again, if the protocol recorded it. Where bytes differ, stop: the job ends with 3, as"
                          + " memory may not be protected; tell: it goes on with the first bytes, as for bytes that are"
                          + " sent and never used, and counts. Default: stop."))
          .add(
              flag(value -> {}, "--rehearse")
                  .description(
                      "Tries a restart: behind its second checkpoint the job is started again from the first one, and"
                          + " compared up to the second: each message, and the protected memory. What differs ends it"
                          + " with 3. Otherwise it goes on from the second one. The program's own files are written as"
                          + " by any restart."))
          .add(
              option(String.class, NATIVE, "--restarts")
                  .paramLabel("N")
                  .description(
                      "How often the command is run again. Three ends with one status and no checkpoint in between are"
                          + " enough, unless a signal from outside made them. Default: 10."))
          .add(
              option(String.class, NATIVE, "--refused")
                  .paramLabel("end|continue")
                  .description(
                      "A call that cannot be carried, such as MPI_Win_create: end: ends the job with status 3; continue:"
                          + " it is made, and the job goes on without further checkpoints. Default: end."))
          .add(
              option(String.class, NATIVE, "--mpi")
                  .paramLabel("openmpi|mpich")
                  .description("The program's MPI, where neither it nor the launcher tells."))
          .add(
              option(String.class, NATIVE, "--run")
                  .paramLabel("OPTION")
                  .description(
                      "An option for sluice run, such as --run=--keep=3. On several nodes give it to sluice"
                          + " exec instead."))
          .add(
              parameters(String.class, words -> {})
                  .paramLabel("CMD")
                  .arity("0..*")
                  .description("The launcher's command with its arguments, after --."))
          .add(new StatusCommand())
          .add(new CheckpointCommand())
          .examples(
              "  sluice mpi --store /scratch/ckpt --every 5m -- mpirun -n 64 ./app",
              "  sluice mpi --store /scratch/try --every 30s --rehearse -- mpirun -n 64 ./app",
              "  sluice mpi --store /shared/ckpt -- mpirun -n 512 --hostfile hosts \\",
              "      sluice run -- ./app",
              "  sluice mpi status --store /shared/ckpt")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    return NativeProgram.run(NativeLibraries.mpi(), spec);
  }
}
