package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.sluice.profile.workload.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the node-checkpoint benchmark. */
@Command(
    name = "bench-node",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Writes checkpoints of the processes of one node through POSIX files, through Sluice and"
            + " through what bounds them, in turn, and measures how long the processes wait and"
            + " how long it takes until everything is on stable storage.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "1:something failed, see standard error", "2:wrong usage"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  bench-node --workload LU --rounds 7",
      "  bench-node --systems posix-fresh,memcpy-floor,sluice-container-auto --gap 150,5000"
    })
public final class NodeCommand implements Callable<Integer> {
  private static final int MAX_RANKS = 128;
  private static final long PATIENCE_MILLIS = 10_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "LU,BT,CG",
      description = "LU, BT, SP, CG; default: ${DEFAULT-VALUE}.")
  private List<Workload> workloads;

  @Option(
      names = "--systems",
      split = ",",
      paramLabel = "NAME",
      description = "Which to measure, default all: ${COMPLETION-CANDIDATES}.",
      completionCandidates = Labels.class)
  private List<String> systems;

  @Option(
      names = "--ranks",
      defaultValue = "8",
      paramLabel = "N",
      description = "Processes, 1 to 128; default: ${DEFAULT-VALUE}.")
  private int ranks;

  @Option(
      names = "--rounds",
      defaultValue = "7",
      paramLabel = "N",
      description = "Measured rounds, after some that are not; default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--gap",
      split = ",",
      defaultValue = "150",
      paramLabel = "MS",
      description =
          "Idleness before each checkpoint in milliseconds; several are measured one after the"
              + " other. Default: ${DEFAULT-VALUE}.")
  private List<Integer> gaps;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Existing directory on the disk to measure; default: the current one.")
  private Path directory = Path.of("");

  @Option(
      names = "--keep-files",
      description = "Leave what was written in DIR/bench-node-..., to look at.")
  private boolean keepFiles;

  @Option(names = "--json", paramLabel = "FILE", description = "Leave the results there.")
  private Path json;

  @Option(
      names = "--plot",
      paramLabel = "PREFIX",
      description =
          "Draw write time and memory per threshold beside the published figures:"
              + " PREFIX-time and PREFIX-memory, .png and .svg.")
  private Path plot;

  /** For picocli. */
  public NodeCommand() {}

  /** The names of all systems. */
  static final class Labels implements Iterable<String> {
    @Override
    public java.util.Iterator<String> iterator() {
      return Arrays.stream(Target.values()).map(Target::label).iterator();
    }
  }

  /**
   * Runs it.
   *
   * @param arguments see {@code --help}
   */
  public static void main(final String[] arguments) {
    System.exit(new CommandLine(new NodeCommand()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    final List<Target> targets = targets();
    final Machine machine = Machine.with(directory.toAbsolutePath());
    if (machine.isMemory()) {
      throw usage("--dir %s is in memory: name a directory on a disk".formatted(directory));
    }
    final Path files = Files.createTempDirectory(directory.toAbsolutePath(), "bench-node-");
    final Path runtime = Files.createTempDirectory(Path.of("/dev/shm"), "sluice-bench-");
    final Thread cleaner = cleaner(Thread.currentThread());
    Runtime.getRuntime().addShutdownHook(cleaner);
    try {
      measure(new NodeBenchmark(ranks, rounds, gaps, targets, files, runtime, System.err), machine);
    } finally {
      if (!keepFiles) {
        Directories.delete(files);
      }
      Directories.delete(runtime);
    }
    Runtime.getRuntime().removeShutdownHook(cleaner);
    return 0;
  }

  /** On a signal: whoever waits for a child's answer finds it gone, and cleans up. */
  private static Thread cleaner(final Thread measuring) {
    return new Thread(
        () -> {
          measuring.interrupt();
          ProcessHandle.current().children().forEach(ProcessHandle::destroy);
          try {
            measuring.join(PATIENCE_MILLIS);
          } catch (final InterruptedException ignored) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private void measure(final NodeBenchmark benchmark, final Machine machine)
      throws IOException, InterruptedException {
    final TableReport table = new TableReport(System.out, benchmark.results());
    System.out.println(machine);
    for (final Workload workload : workloads) {
      benchmark.run(workload);
      for (final int gap : gaps) {
        table.print(workload, gap);
      }
      if (json != null) {
        new JsonReport(benchmark.results(), machine).write(json);
      }
      if (plot != null) {
        new PlotReport(benchmark.results(), gaps.getFirst()).write(plot);
      }
    }
  }

  private void check() {
    if (ranks < 1 || ranks > MAX_RANKS) {
      throw usage("--ranks takes 1 to %d, not %d".formatted(MAX_RANKS, ranks));
    }
    if (rounds < 1) {
      throw usage("--rounds takes 1 or more, not %d".formatted(rounds));
    }
    if (gaps.stream().anyMatch(gap -> gap < 0)) {
      throw usage("--gap takes 0 or more");
    }
    if (!Files.isDirectory(directory.toAbsolutePath())) {
      throw usage("--dir %s is no directory".formatted(directory));
    }
  }

  private List<Target> targets() {
    if (systems == null) {
      return List.of(Target.values());
    }
    return systems.stream()
        .map(
            label ->
                Target.named(label)
                    .orElseThrow(
                        () -> usage("--systems: there is no %s, only %s".formatted(label, all()))))
        .toList();
  }

  private static String all() {
    return Arrays.stream(Target.values()).map(Target::label).collect(Collectors.joining(", "));
  }

  private ParameterException usage(final String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
