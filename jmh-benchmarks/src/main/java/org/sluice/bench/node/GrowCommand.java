package org.sluice.bench.node;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.sluice.core.command.ErrorLine;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the measurement of cost against work. */
@Command(
    name = "bench-grow",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Writes checkpoints of ever more ranks, bytes or records through Sluice, through plain files"
            + " and through what bounds them, in turn, with a buffer of 512 MiB throughout. Needs"
            + " five times the room of the largest checkpoint.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "1:something failed, see standard error", "2:wrong usage"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  bench-grow --quick",
      "  bench-grow --parts bytes --works 1024,8192 --json grow.json --plot grow"
    })
public final class GrowCommand implements Callable<Integer> {
  private static final int QUICK_ROUNDS = 2;

  @Option(
      names = "--parts",
      split = ",",
      paramLabel = "PART",
      defaultValue = "ranks,bytes,records",
      description =
          "What grows: ranks, 1 to 128; bytes, 16 MiB to 8 GiB a checkpoint; records, 1 to 10"
              + " million; default: ${DEFAULT-VALUE}.")
  private List<GrowPart> parts;

  @Option(
      names = "--works",
      split = ",",
      paramLabel = "N",
      description = "Only these numbers of ranks, MiB or million records.")
  private List<Long> works;

  @Option(
      names = "--threshold",
      paramLabel = "SIZE|auto",
      defaultValue = "auto",
      converter = Threshold.Converter.class,
      description = "Threshold; default: ${DEFAULT-VALUE}.")
  private Threshold threshold;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Measured rounds, after some that are not; default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--gap",
      defaultValue = "150",
      paramLabel = "MS",
      description = "Idleness before each checkpoint; default: ${DEFAULT-VALUE}.")
  private int gap;

  @Option(names = "--quick", description = "Two rounds of few works each: a minute.")
  private boolean quick;

  @Mixin private Site site;

  /** For picocli. */
  public GrowCommand() {}

  /**
   * Runs it.
   *
   * @param arguments see {@code --help}
   */
  public static void main(final String[] arguments) {
    System.exit(
        ErrorLine.of(new CommandLine(new GrowCommand()))
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    site.checkRange("--rounds", rounds, 1, Integer.MAX_VALUE);
    site.checkRange("--gap", gap, 0, Integer.MAX_VALUE);
    site.measure(
        (machine, files, runtime) ->
            measure(
                new GrowBenchmark(
                    quick ? QUICK_ROUNDS : rounds, gap, threshold, files, runtime, System.err),
                machine));
    return 0;
  }

  private void measure(final GrowBenchmark benchmark, final Machine machine)
      throws IOException, InterruptedException {
    final GrowReport report = new GrowReport(benchmark.points());
    for (final GrowPart part : parts) {
      report.printHeading(System.out, part);
      for (final long work : works == null ? part.works(quick) : works) {
        benchmark.run(part, work);
        report.print(System.out, part, work);
        if (site.json() != null) {
          report.write(site.json(), machine);
        }
      }
      if (site.plot() != null) {
        new GrowPlot(benchmark.points()).write(site.plot(), part);
      }
    }
  }
}
