package org.sluice.core.client;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many ranks of a job run on this node, as the launcher's environment tells; the C client's
 * {@code launcher.c} reads the same variables. Thread-safe.
 */
final class Launcher {
  /** The job runs on several nodes, and nothing says how many ranks on this one. */
  static final int SPREAD = -1;

  private static final List<Source> SOURCES =
      List.of(
          new Source("SLUICE_RANK", List.of("SLUICE_RANKS"), List.of()),
          new Source(
              "OMPI_COMM_WORLD_RANK",
              List.of("OMPI_COMM_WORLD_SIZE"),
              List.of("OMPI_COMM_WORLD_LOCAL_SIZE")),
          new Source(
              "PMI_RANK",
              List.of("PMI_SIZE"),
              List.of("MPI_LOCALNRANKS", "PMI_LOCAL_SIZE", "PALS_LOCAL_SIZE")));

  private static final String SLURM_RANK = "SLURM_PROCID";
  private static final List<String> SLURM_RANKS = List.of("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS");
  private static final List<String> SLURM_NODES = List.of("SLURM_STEP_NUM_NODES", "SLURM_NNODES");
  private static final List<String> SLURM_LISTS =
      List.of("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE");
  private static final List<String> NODES =
      List.of("SLURM_STEP_NUM_NODES", "SLURM_NNODES", "FLUX_JOB_NNODES");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
  private static final Pattern LISTED = Pattern.compile("(\\d{1,9})(?:\\(x([1-9]\\d{0,8})\\))?");

  private final Map<String, String> environment;

  /** Where a launcher says a process's rank, the job's size, and how much of it is on the node. */
  private record Source(String rank, List<String> ranks, List<String> local) {}

  Launcher(final Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * Tells it.
   *
   * @param ranks ranks of the job
   * @return 0 for all of them, as nothing says that there is another node; or {@link #SPREAD}
   */
  int localRanks(final int ranks) {
    final int said = count(List.of("SLUICE_LOCAL_RANKS"));
    if (said > 0 && said <= ranks) {
      return said == ranks ? 0 : said;
    }
    boolean spread = NODES.stream().anyMatch(name -> count(List.of(name)) > 1);
    for (int i = 0; i <= SOURCES.size() && ranks > 1; i++) {
      final boolean slurm = i == SOURCES.size();
      final int all = slurm ? slurmRanks() : ranks(SOURCES.get(i));
      final int local = slurm ? slurmLocal(all) : count(SOURCES.get(i).local);
      if (local > 0 && local <= all) {
        if (all == ranks || all == local) {
          return all == local ? 0 : local;
        }
        spread = true;
      }
    }
    return ranks > 1 && spread ? SPREAD : 0;
  }

  private int ranks(final Source source) {
    return number(source.rank) < 0 ? 0 : count(source.ranks);
  }

  /** What a batch script inherits says nothing of a process: only that of a step is a rank. */
  private int slurmRanks() {
    final boolean step = environment.containsKey("SLURM_STEP_ID");
    return step && number(SLURM_RANK) >= 0 ? count(SLURM_RANKS) : 0;
  }

  /** How many were asked for on each node counts only if there are as many everywhere. */
  private int slurmLocal(final int ranks) {
    final int node = number("SLURM_NODEID");
    for (final String list : SLURM_LISTS) {
      final int local = listed(environment.getOrDefault(list, ""), node, ranks);
      if (local > 0) {
        return local;
      }
    }
    final int each = count(List.of("SLURM_NTASKS_PER_NODE"));
    return (long) each * count(SLURM_NODES) == ranks ? each : 0;
  }

  /** Of Slurm's {@code 2(x3),1} the number at an index, if all together are a sum; else 0. */
  private static int listed(final String list, final int index, final int sum) {
    long at = 0;
    long all = 0;
    int found = 0;
    for (final String each : list.split(",")) {
      final Matcher match = LISTED.matcher(each);
      if (!match.matches()) {
        return 0;
      }
      final int tasks = Integer.parseInt(match.group(1));
      final int times = match.group(2) == null ? 1 : Integer.parseInt(match.group(2));
      found = index >= at && index < at + times ? tasks : found;
      at += times;
      all += (long) tasks * times;
    }
    return all == sum ? found : 0;
  }

  /** The first of some variables that is a number from 1 on; 0 for none. */
  private int count(final List<String> names) {
    return names.stream().mapToInt(this::number).filter(n -> n > 0).findFirst().orElse(0);
  }

  /** The value of a variable, -1 when it is unset or no number. */
  private int number(final String name) {
    final String text = environment.getOrDefault(name, "");
    return NUMBER.matcher(text).matches() ? Integer.parseInt(text) : -1;
  }
}
