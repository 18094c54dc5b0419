package org.sluice.bridge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.sluice.core.command.Subcommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The help of {@code sluice exec}. The command itself is a native program, since it starts in every
 * rank; {@code scripts/sluice} goes there without a JVM.
 */
@Command(
    name = "exec",
    description = {
      "Does the same as run from inside each rank of a job.",
      "The first rank on each node starts the node's I/O process, the last stops it.",
      "Exits like the command: 128+N when signal N killed it, 127 when it is not",
      "found, 126 when it cannot be executed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  mpirun -n 64 sluice exec --store /scratch/store --capture out -- ./app",
      "  srun -n 64 sluice exec --store /scratch/store --layout container \\",
      "      --group 'step-([0-9]+)/' -- ./app input.txt"
    })
public final class ExecCommand implements Subcommand {
  @Spec private CommandSpec spec;

  @Option(
      names = "--store",
      paramLabel = "DIR",
      description = "The store's directory; default: environment SLUICE_STORE.")
  private Path store;

  @Option(
      names = "--capture",
      paramLabel = "DIR",
      description =
          "New files below this directory are captured; default: environment SLUICE_CAPTURE, or"
              + " else the working directory.")
  private Path capture;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Name of the node's I/O process; default: after the launcher's job.")
  private String name;

  @Option(
      names = "--layout",
      paramLabel = "container|files",
      description = "What lands on storage; default: files.")
  private String layout;

  @Option(
      names = "--threshold",
      paramLabel = "auto|fixed:SIZE",
      description =
          "Writes of this size or more go to the file at once; auto: only as the buffer fills, the"
              + " largest first. Default: auto.")
  private String threshold;

  @Option(
      names = "--when-full",
      paramLabel = "wait|direct",
      description =
          "What a write does while the buffer is full: wait for room, or go to the file at once."
              + " Default: wait.")
  private String whenFull;

  @Option(
      names = "--buffer",
      paramLabel = "SIZE",
      description = "Shared memory of each node; default: 512M.")
  private String buffer;

  @Option(
      names = "--chunk",
      paramLabel = "SIZE",
      description = "Size of a chunk, a power of two; default: 1M.")
  private String chunk;

  @Option(
      names = "--pages",
      paramLabel = "auto|huge|small",
      description = "Pages of the buffer; default: auto, huge ones if they can be had.")
  private String pages;

  @Option(
      names = "--group",
      paramLabel = "REGEX",
      description = "Container layout: which files are of which checkpoint.")
  private String group;

  @Option(
      names = "--writers",
      paramLabel = "N",
      description =
          "How many ranks of a node write a checkpoint; default: as many as the launcher says run on"
              + " it.")
  private Integer writers;

  @Option(
      names = "--files-per-rank",
      paramLabel = "N",
      description = "With --group: how many files of a checkpoint each rank writes; default: 1.")
  private Integer filesPerRank;

  @Option(
      names = "--keep",
      paramLabel = "N|all",
      description = "How many checkpoints of a group or of the API stay; default: 2.")
  private String keep;

  @Option(
      names = "--stats",
      paramLabel = "FILE",
      description = "Leave statistics in this file at the end, as JSON.")
  private Path stats;

  @Option(
      names = "--profile",
      paramLabel = "DIR",
      description = "Record every write in this directory, for sluice profile.")
  private Path profile;

  @Parameters(paramLabel = "CMD", arity = "1..*", description = "The command and its arguments.")
  private List<String> command;

  /** For picocli. */
  public ExecCommand() {}

  @Override
  public Integer call() throws IOException {
    return NativeProgram.run(NativeLibraries.exec(), spec);
  }
}
