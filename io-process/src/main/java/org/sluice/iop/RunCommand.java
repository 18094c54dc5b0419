package org.sluice.iop;

import org.sluice.bridge.NativeLibraries;
import picocli.CommandLine.Command;

/**
 * {@code sluice run}: a native program that starts an I/O process, and another one when that is
 * killed.
 */
@Command(
    name = "run",
    description = {
      "Runs a command with the files it creates captured, and drains them.",
      "Exits like the command: 128+N when signal N killed it, 127 when it is not",
      "found, 126 when it cannot be executed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice run --store /scratch/store --capture /scratch/run -- mpirun -n 8 ./heat",
      "  sluice run --store /scratch/store --capture /scratch/run --layout container \\",
      "      --group 'ckpt-([0-9]+)' --stats stats.json -- mpirun -n 8 ./heat"
    })
public final class RunCommand extends LaunchCommand {
  /** For picocli. */
  public RunCommand() {
    super(NativeLibraries::run);
  }
}
