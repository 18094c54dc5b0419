package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.sluice.core.command.ErrorLine;
import org.sluice.core.command.SizeConverter;
import org.sluice.profile.replay.Scratch;
import org.sluice.profile.workload.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that runs a sweep of checkpoints. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Writes checkpoints of the processes of one node through POSIX files, through Sluice and"
          + " through what bounds them, in turn, and measures how long the processes wait and how"
          + " long it takes until everything is on stable storage.",
      "Of options with several values every combination is measured. PRESET says what they are"
          + " unless told: see bench PRESET --help."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "1:something failed, see standard error", "2:wrong usage"},
    footerHeading = "%nExamples:%n",
    footer = {
      "  bench node --workload LU --gap 150,5000",
      "  bench first --bytes 16M,4G --ranks 1,32,128 --beside 2",
      "  bench first --bytes 16M --mpi none --computes --later 20",
      "  bench thresholds --quick --json thresholds.json",
      "  bench thresholds --systems sluice-files-{4K,64K,1G,auto}",
      "  bench bytes --bytes 1G,8G --dir /mnt/nvme"
    })
public final class BenchCommand implements Callable<Integer> {
  private static final int MOST_RANKS = 128;
  private static final String NO_MPI = "none";
  private static final int QUICK_ROUNDS = 2;

  private enum WhenFull {
    wait,
    direct
  }

  @Parameters(
      arity = "0..1",
      paramLabel = "PRESET",
      description = "node, small, first, thresholds, ranks, bytes or records; default: node.")
  private Preset preset;

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "LU",
      description =
          "LU, BT, SP, CG; a size, such as 1M, of each write; or records: of 64 bytes, none of"
              + " which continues another; default: ${DEFAULT-VALUE}.")
  private List<String> workloads;

  @Option(
      names = "--systems",
      arity = "1..*",
      split = ",",
      paramLabel = "NAME",
      description = "Of " + Storage.NAMES + "; default: ${DEFAULT-VALUE}.")
  private List<String> systems;

  @Option(
      names = "--ranks",
      split = ",",
      defaultValue = "8",
      paramLabel = "N",
      description = "Processes, 1 to 128; default: ${DEFAULT-VALUE}.")
  private List<Integer> ranks;

  @Option(
      names = "--bytes",
      split = ",",
      defaultValue = "0",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "What all processes write, by the same writes again and again; 0 is what was published;"
              + " default: ${DEFAULT-VALUE}.")
  private List<Long> bytes;

  @Option(
      names = "--buffer",
      split = ",",
      defaultValue = "0",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Buffer; 0 holds a checkpoint; default: ${DEFAULT-VALUE}.")
  private List<Long> buffers;

  @Option(
      names = "--when-full",
      paramLabel = "wait|direct",
      defaultValue = "wait",
      description = "What a write does that finds no room; default: ${DEFAULT-VALUE}.")
  private WhenFull whenFull;

  @Option(
      names = "--gap",
      split = ",",
      defaultValue = "150",
      paramLabel = "MS",
      description = "Idleness before each checkpoint in milliseconds; default: ${DEFAULT-VALUE}.")
  private List<Integer> gaps;

  @Option(
      names = "--computes",
      description = "The processes take their cores between checkpoints, as programs do.")
  private boolean computes;

  @Option(
      names = "--mpi",
      split = ",",
      defaultValue = NO_MPI,
      paramLabel = "LIBRARY",
      description =
          "Of first: the MPI library that a program has loaded, or none; default:"
              + " ${DEFAULT-VALUE}.")
  private List<String> libraries;

  @Option(
      names = "--later",
      defaultValue = "0",
      paramLabel = "N",
      description =
          "Of first: checkpoints of the same programs that follow the first; default:"
              + " ${DEFAULT-VALUE}.")
  private int later;

  @Option(
      names = "--rounds",
      defaultValue = "7",
      paramLabel = "N",
      description = "Measured rounds, after some that are not; default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--quick",
      description = "Two rounds, with the first and the middle one of ranks, bytes and buffers.")
  private boolean quick;

  @Mixin private Site site;

  public static void main(final String[] arguments) {
    final Preset preset =
        Arrays.stream(Preset.values())
            .filter(each -> arguments.length > 0 && each.name().equalsIgnoreCase(arguments[0]))
            .findFirst()
            .orElse(Preset.NODE);
    System.exit(
        ErrorLine.of(new CommandLine(new BenchCommand()))
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setDefaultValueProvider(argument -> option(preset, argument))
            .execute(arguments));
  }

  private static String option(final Preset preset, final ArgSpec argument) {
    return argument instanceof final OptionSpec option ? preset.option(option.longestName()) : null;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    ranks.forEach(count -> site.checkRange("--ranks", count, 1, MOST_RANKS));
    gaps.forEach(gap -> site.checkRange("--gap", gap, 0, Integer.MAX_VALUE));
    site.checkRange("--rounds", rounds, 1, Integer.MAX_VALUE);
    site.checkRange("--later", later, 0, isFirst() ? Integer.MAX_VALUE : 0);
    if (!isFirst() && !libraries.equals(List.of(NO_MPI))) {
      throw site.usage("--mpi is of bench first alone");
    }
    final List<Storage> storages = systems.stream().map(this::storage).toList();
    final List<Load> loads = loads();
    site.measure(
        (machine, files, runtime) ->
            measure(loads, files, sweep(storages, runtime), new Report(machine)));
    return 0;
  }

  private boolean isFirst() {
    return preset == Preset.FIRST;
  }

  private Sweep sweep(final List<Storage> storages, final Path runtime) {
    final int count = quick ? QUICK_ROUNDS : rounds;
    final String full = whenFull.name();
    return isFirst()
        ? new FreshSweep(storages, count, gaps, full, later, runtime, System.err)
        : new WarmSweep(storages, count, gaps, full, runtime, System.err);
  }

  private void measure(
      final List<Load> loads, final Path files, final Sweep sweep, final Report report)
      throws IOException, InterruptedException {
    for (int i = 0; i < loads.size(); i++) {
      final Path directory = files.resolve(i + 1 + "-" + loads.get(i).workload());
      final List<Series> series = sweep.run(loads.get(i), directory);
      for (final int gap : gaps) {
        report.add(series.stream().filter(s -> s.gapMillis() == gap).toList(), System.out);
      }
      if (site.json() != null) {
        report.write(site.json());
      }
      if (!site.keepsFiles()) {
        Scratch.delete(directory);
      }
    }
  }

  private Storage storage(final String label) {
    return Storage.named(label)
        .orElseThrow(
            () -> site.usage("--systems: there is no %s, only %s".formatted(label, Storage.NAMES)));
  }

  private List<Load> loads() {
    final List<Load> loads = new ArrayList<>();
    for (final String workload : workloads) {
      final String name = name(workload);
      for (final int count : some(ranks)) {
        for (final long length : some(bytes)) {
          if (length == 0 && (name.equals(Load.RECORDS) || Load.isSize(name))) {
            throw site.usage("--workload %s needs --bytes".formatted(name));
          }
          if (length > 0 && length < count) {
            throw site.usage("--bytes: %d ranks cannot write %d in all".formatted(count, length));
          }
          for (final long buffer : some(buffers)) {
            programs().forEach(each -> loads.add(new Load(name, count, length, buffer, each)));
          }
        }
      }
    }
    return loads;
  }

  private Stream<Programs> programs() {
    return libraries.stream()
        .map(name -> new Programs(isFirst(), name.equals(NO_MPI) ? "" : name, computes));
  }

  private String name(final String workload) {
    if (workload.matches("0*[1-9]\\d{0,9}[kKmMgG]?")) {
      return workload;
    }
    if (workload.equalsIgnoreCase(Load.RECORDS)) {
      return Load.RECORDS;
    }
    try {
      return Workload.valueOf(workload.toUpperCase(Locale.ROOT)).name();
    } catch (final IllegalArgumentException e) {
      throw site.usage(
          "--workload: there is no %s, only LU, BT, SP, CG, records, and sizes"
              .formatted(workload));
    }
  }

  private <T> List<T> some(final List<T> values) {
    return quick && values.size() > 2
        ? List.of(values.getFirst(), values.get(values.size() / 2))
        : values;
  }
}
