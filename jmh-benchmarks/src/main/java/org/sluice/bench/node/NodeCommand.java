package org.sluice.bench.node;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.sluice.core.command.ErrorLine;
import org.sluice.profile.workload.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the node-checkpoint benchmark. */
@Command(
    name = "bench-node",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Writes checkpoints of the processes of one node through POSIX files, through Sluice and"
            + " through what bounds them, in turn, and measures how long the processes wait and"
            + " how long it takes until everything is on stable storage. Draws write time and"
            + " memory per threshold beside the published figures: PREFIX-time, PREFIX-memory.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "1:something failed, see standard error", "2:wrong usage"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  bench-node --workload LU --rounds 7",
      "  bench-node --systems posix-fresh,memcpy-floor,sluice-container-auto --gap 150,5000"
    })
public final class NodeCommand implements Callable<Integer> {
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

  @Mixin private Site site;

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
    System.exit(ErrorLine.of(new CommandLine(new NodeCommand())).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    site.checkRange("--ranks", ranks, 1, NodeProgram.MOST_RANKS);
    site.checkRange("--rounds", rounds, 1, Integer.MAX_VALUE);
    gaps.forEach(gap -> site.checkRange("--gap", gap, 0, Integer.MAX_VALUE));
    final List<Target> targets = targets();
    site.measure(
        (machine, files, runtime) ->
            measure(
                new NodeBenchmark(ranks, rounds, gaps, targets, files, runtime, System.err),
                machine));
    return 0;
  }

  private void measure(final NodeBenchmark benchmark, final Machine machine)
      throws IOException, InterruptedException {
    final TableReport table = new TableReport(System.out, benchmark.results());
    for (final Workload workload : workloads) {
      benchmark.run(workload);
      for (final int gap : gaps) {
        table.print(workload, gap);
      }
      if (site.json() != null) {
        new JsonReport(benchmark.results(), machine).write(site.json());
      }
      if (site.plot() != null) {
        new PlotReport(benchmark.results(), gaps.getFirst()).write(site.plot());
      }
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
                        () ->
                            site.usage(
                                "--systems: there is no %s, only %s".formatted(label, all()))))
        .toList();
  }

  private static String all() {
    return Arrays.stream(Target.values()).map(Target::label).collect(Collectors.joining(", "));
  }
}
