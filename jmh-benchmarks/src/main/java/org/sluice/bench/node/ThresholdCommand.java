package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.sluice.core.command.ErrorLine;
import org.sluice.core.command.SizeConverter;
import org.sluice.profile.workload.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the sweep over thresholds and buffers. */
@Command(
    name = "bench-threshold",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Writes checkpoints of the processes of one node under every threshold and with every"
            + " buffer, and shows which threshold is best with which buffer, and how auto does.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "1:something failed, see standard error", "2:wrong usage"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  bench-threshold --quick",
      "  bench-threshold --workload BT,CG --buffers 8M,64M --json sweep.json"
    })
public final class ThresholdCommand implements Callable<Integer> {
  private static final int QUICK_ROUNDS = 3;

  private enum Layout {
    container,
    files
  }

  private enum WhenFull {
    wait,
    direct
  }

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "LU",
      description = "LU, BT, SP, CG; default: ${DEFAULT-VALUE}.")
  private List<Workload> workloads;

  @Option(
      names = "--buffers",
      split = ",",
      paramLabel = "SIZE",
      defaultValue = "8M,16M,32M,64M,128M,256M,512M",
      converter = SizeConverter.class,
      description = "Buffers; default: ${DEFAULT-VALUE}.")
  private List<Long> buffers;

  @Option(
      names = "--thresholds",
      split = ",",
      paramLabel = "SIZE|auto",
      defaultValue = "4K,16K,64K,256K,1M,1G,auto",
      converter = Threshold.Converter.class,
      description =
          "Thresholds; the smallest and the largest are the extremes that auto is compared with."
              + " Default: ${DEFAULT-VALUE}.")
  private List<Threshold> thresholds;

  @Option(
      names = "--layout",
      paramLabel = "container|files",
      defaultValue = "container",
      description = "Layout; default: ${DEFAULT-VALUE}.")
  private Layout layout;

  @Option(
      names = "--when-full",
      paramLabel = "wait|direct",
      defaultValue = "wait",
      description = "What a write does that finds no room; default: ${DEFAULT-VALUE}.")
  private WhenFull whenFull;

  @Option(
      names = "--ranks",
      defaultValue = "8",
      paramLabel = "N",
      description = "Processes; default: ${DEFAULT-VALUE}.")
  private int ranks;

  @Option(
      names = "--rounds",
      defaultValue = "7",
      paramLabel = "N",
      description = "Measured rounds, after one that is not; default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--gap",
      defaultValue = "150",
      paramLabel = "MS",
      description = "Idleness before each checkpoint; default: ${DEFAULT-VALUE}.")
  private int gap;

  @Option(names = "--quick", description = "Three rounds with four buffers: two minutes.")
  private boolean quick;

  @Mixin private Site site;

  /** For picocli. */
  public ThresholdCommand() {}

  /**
   * Runs it.
   *
   * @param arguments see {@code --help}
   */
  public static void main(final String[] arguments) {
    System.exit(ErrorLine.of(new CommandLine(new ThresholdCommand())).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    site.checkRange("--ranks", ranks, 1, NodeProgram.MOST_RANKS);
    site.checkRange("--rounds", rounds, 1, Integer.MAX_VALUE);
    site.checkRange("--gap", gap, 0, Integer.MAX_VALUE);
    site.measure((machine, files, runtime) -> measure(sweep(files, runtime), machine));
    return 0;
  }

  private ThresholdSweep sweep(final Path files, final Path runtime) {
    final Target target = layout == Layout.files ? Target.FILES_AUTO : Target.CONTAINER_AUTO;
    return new ThresholdSweep(
        target,
        ranks,
        quick ? QUICK_ROUNDS : rounds,
        gap,
        whenFull.name(),
        thresholds,
        files,
        runtime,
        System.err);
  }

  private void measure(final ThresholdSweep sweep, final Machine machine)
      throws IOException, InterruptedException {
    final ThresholdReport report = new ThresholdReport(sweep.points());
    for (final Workload workload : workloads) {
      for (int i = 0; i < buffers.size(); i += quick ? 2 : 1) {
        sweep.run(workload, buffers.get(i));
        report.print(System.out, workload, buffers.get(i));
        if (site.json() != null) {
          report.write(site.json(), machine);
        }
      }
      if (site.plot() != null) {
        new ThresholdPlot(sweep.points()).write(site.plot(), workload);
      }
    }
  }
}
