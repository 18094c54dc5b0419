package org.sluice.iop;

import org.sluice.bridge.NativeLibraries;
import org.sluice.core.command.Model;

/**
 * {@code sluice run}: a native program that starts an I/O process, and another one when that is
 * killed.
 */
public final class RunCommand extends LaunchCommand {
  /** For {@code ServiceLoader}. */
  public RunCommand() {
    super("run", NativeLibraries::run);
  }

  @Override
  Model describe(final Model model) {
    return model
        .describe(
            "Runs a command with the files it creates captured, and drains them.",
            "Exits like the command: 128+N when signal N killed it, 127 when it is not",
            "found, 126 when it cannot be executed.")
        .examples(
            "  sluice run --store /scratch/store --capture /scratch/run -- mpirun -n 8 ./heat",
            "  sluice run --store /scratch/store --capture /scratch/run --layout container \\",
            "      --group 'ckpt-([0-9]+)' --stats stats.json -- mpirun -n 8 ./heat");
  }
}
