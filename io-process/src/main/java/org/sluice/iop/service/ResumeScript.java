package org.sluice.iop.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.posix.Environment;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.Quoting;

/**
 * The script by which a user brings to storage the bytes that a session has left in memory. The
 * command needs the directory, the options and the launcher's variables of the I/O process, too
 * much for a line. So it is a script beside the segment, and the line names the script.
 */
public final class ResumeScript {
  public static final String NAME = "resume";

  /** The variables of a session's settings, or of its part of a job. No secrets. */
  private static final Pattern OF_THE_SESSION =
      Pattern.compile(
          "SLUICE_(?!FAULT$|CALLED$).*|OMPI_COMM_WORLD_.*|OMPI_MCA_orte_hnp_uri"
              + "|PMI_(RANK|SIZE|JOBID|LOCAL_SIZE)|PMIX_(RANK|NAMESPACE)|PALS_.*|MPI_LOCALNRANKS"
              + "|SLURM_(JOB_ID|RESTART_COUNT|PROCID|NODEID|NNODES|NTASKS.*|TASKS_PER_NODE|STEP_.*)"
              + "|FLUX_JOB_NNODES|HYDI_CONTROL_FD|AWS_(ENDPOINT_URL.*|(DEFAULT_)?REGION|PROFILE)");

  private static final Set<String> OF_ITS_START =
      Set.of("--members", "--restart", "--resume", "--finish");

  private ResumeScript() {}

  public static void write(final Path directory, final List<String> options) throws IOException {
    final StringBuilder script =
        new StringBuilder("# Brings to storage what this session has left in memory, and ends.\n");
    script.append("cd %s &&\n".formatted(Quoting.name(Names.target("/proc/self/cwd"))));
    for (final String name : new TreeSet<>(System.getenv().keySet())) {
      if (OF_THE_SESSION.matcher(name).matches()) {
        final String value = Quoting.name(Environment.variable(name).orElse(""));
        script.append("export %s=%s &&\n".formatted(name, value));
      }
    }
    final String home = Environment.variable("SLUICE_HOME").orElse("");
    script.append("%s >/dev/null &&\n".formatted(command(home + "/scripts/sluice", options)));
    script.append("echo 'what was kept is on storage'\n");
    Files.write(directory.resolve(NAME), FileName.encode(script.toString()));
  }

  private static String command(final String sluice, final List<String> options) {
    return Stream.concat(
            Stream.of(sluice, "serve", "--resume", "--finish"),
            options.stream().filter(option -> !OF_ITS_START.contains(option)))
        .map(Quoting::name)
        .collect(Collectors.joining(" "));
  }
}
