package org.sluice.iop;

import org.sluice.bridge.NativeLibraries;
import org.sluice.core.command.Model;

/** {@code sluice exec}: a native program that starts in every rank. */
public final class ExecCommand extends LaunchCommand {
  /** For {@code ServiceLoader}. */
  public ExecCommand() {
    super("exec", NativeLibraries::exec);
  }

  @Override
  Model describe(final Model model) {
    return model
        .describe(
            "Does the same as run from inside each rank of a job.",
            "The first rank on each node starts the node's I/O process, the last stops it.",
            "Exits like the command: 128+N when signal N killed it, 127 when it is not",
            "found, 126 when it cannot be executed.")
        .examples(
            "  mpirun -n 64 sluice exec --store /scratch/store --capture out -- ./app",
            "  srun -n 64 sluice exec --store /scratch/store --layout container \\",
            "      --group 'step-([0-9]+)/' -- ./app input.txt");
  }
}
