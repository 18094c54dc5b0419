package org.sluice.iop.command;

import java.io.IOException;
import org.sluice.bridge.NativeLibraries;
import org.sluice.bridge.NativeProgram;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import org.sluice.restart.CriuImagesCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The command {@code sluice criu}, a native program that has CRIU dump processes into a checkpoint,
 * and restore them from one. Its classes have the options and help, from which the native program's
 * tables are generated.
 */
public final class CriuCommand implements Subcommand {
  private final CommandSpec spec =
      Model.of(this, "criu")
          .describe("Puts processes that CRIU dumps into a checkpoint, and restores them from one.")
          .examples(
              "  sluice criu dump --store /scratch/store -t 4711",
              "  sluice criu restore --store /scratch/store -- --shell-job")
          .add(new CriuDumpCommand())
          .add(new CriuRestoreCommand())
          .add(new CriuStreamCommand())
          .add(new CriuImagesCommand())
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "no command: dump, restore or stream");
  }

  /** Runs the native program with all words behind {@code criu}. */
  static int run(final CommandSpec command) throws IOException {
    return NativeProgram.run(NativeLibraries.criu(), command.parent());
  }
}
