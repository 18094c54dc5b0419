package org.sluice.iop.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.posix.Entropy;
import org.sluice.iop.wave.OwnRuns;

/**
 * The name of a run of a series: of a launch of a job, the same on all its nodes. No other launch
 * has the name. The user may give it; otherwise the launcher's variables do.
 */
final class RunName {
  static final String VARIABLE = "SLUICE_RUN";

  private static final int MOST = 200;

  /** The variables for the number of ranks, each with that for the ranks on this node. */
  private static final Map<String, String> RANKS =
      Map.of(
          "SLUICE_RANKS", "SLUICE_LOCAL_RANKS",
          "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE",
          "PMI_SIZE", "MPI_LOCALNRANKS");

  private static final List<String> NODES =
      List.of("SLURM_STEP_NUM_NODES", "PALS_NNODES", "FLUX_JOB_NNODES");

  /** The job and the number of its requeues in a name. A requeued job counts its steps anew. */
  private static final Pattern SLURM = Pattern.compile("slurm-(.+)\\.[^.]+\\.(\\d{1,9})");

  private RunName() {}

  /**
   * Returns the name by the environment, such as {@code slurm-17.0.0}. Under sluice mpi the attempt
   * is added.
   */
  static String find() throws IOException {
    final String attempt = variable(OwnRuns.ATTEMPT);
    return attempt == null ? ofLaunch() : ofLaunch() + "-" + attempt;
  }

  private static String ofLaunch() throws IOException {
    final String given = variable(VARIABLE);
    if (given != null) {
      if (given.chars().anyMatch(Character::isISOControl)) {
        throw new CommandException(
            ExitStatus.USAGE,
            "%s='%s' is no name; use letters and digits".formatted(VARIABLE, given));
      }
      if (given.length() > MOST) {
        throw new CommandException(
            ExitStatus.USAGE,
            "%s has %d characters; use at most %d".formatted(VARIABLE, given.length(), MOST));
      }
      return given;
    }
    final String openMpi = openMpi();
    return openMpi != null ? openMpi : slurmOrAlone();
  }

  /**
   * Returns the name of a launch of Open MPI, or null. Its number can come again, so a digest of
   * its first process' address is added.
   */
  private static String openMpi() {
    final String number = variable("PMIX_NAMESPACE");
    if (number == null) {
      return null;
    }
    final String slurm = variable("SLURM_JOB_ID");
    final String address = variable("OMPI_MCA_orte_hnp_uri");
    final CRC32C digest = new CRC32C();
    digest.update((address + slurm).getBytes(StandardCharsets.UTF_8));
    return "mpi-%s-%s".formatted(number, HexFormat.of().toHexDigits((int) digest.getValue()));
  }

  private static String slurmOrAlone() throws IOException {
    final String job = variable("SLURM_JOB_ID");
    final String step = variable("SLURM_STEP_ID");
    if (job != null && step != null && variable("HYDI_CONTROL_FD") == null) {
      final String restarts = variable("SLURM_RESTART_COUNT");
      return "slurm-%s.%s.%s".formatted(job, step, restarts == null ? "0" : restarts);
    }
    final String cray = variable("PMI_JOBID");
    if (cray != null) {
      return "pmi-" + cray;
    }
    if (isOfSeveralNodes() && variable(OwnRuns.ATTEMPT) != null) {
      return "mpi";
    }
    if (isOfSeveralNodes()) {
      throw new CommandException(
          ExitStatus.USAGE,
          "the job has ranks on other nodes, and nothing says what the launch is called; set %s, the same on all nodes and new for each launch"
              .formatted(VARIABLE));
    }
    return "run-" + HexFormat.of().toHexDigits(Entropy.nextLong());
  }

  /**
   * Returns whether a run is a later launch of the job of an earlier run. Slurm counts the requeues
   * of a job, and sluice mpi its attempts. The earlier launch is over then.
   */
  static boolean isLaterLaunch(final String earlier, final String run) {
    final String attempt = variable(OwnRuns.ATTEMPT);
    if (attempt != null) {
      return earlier.contains("-" + attempt.substring(0, attempt.lastIndexOf('-') + 1));
    }
    final Matcher before = SLURM.matcher(earlier);
    final Matcher now = SLURM.matcher(run);
    return before.matches()
        && now.matches()
        && before.group(1).equals(now.group(1))
        && Long.parseLong(before.group(2)) < Long.parseLong(now.group(2));
  }

  /** Returns whether a launcher tells of several nodes, or of more ranks than are here. */
  private static boolean isOfSeveralNodes() {
    return NODES.stream()
            .map(RunName::variable)
            .anyMatch(nodes -> nodes != null && !nodes.equals("1"))
        || hasOtherRanks();
  }

  private static boolean hasOtherRanks() {
    return RANKS.entrySet().stream()
        .anyMatch(
            names -> {
              final String ranks = variable(names.getKey());
              return ranks != null
                  && !ranks.equals("1")
                  && !ranks.equals(variable(names.getValue()));
            });
  }

  private static String variable(final String name) {
    final String value = System.getenv(name);
    return value == null || value.isEmpty() ? null : value;
  }
}
