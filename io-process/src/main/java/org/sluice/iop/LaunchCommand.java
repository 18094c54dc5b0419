package org.sluice.iop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.sluice.bridge.NativeProgram;
import org.sluice.core.command.Exits;
import org.sluice.core.command.Subcommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * A command that runs another with its files captured: its options, of which the native program's
 * table is generated, and their help. {@code scripts/sluice} goes to that program without a JVM.
 */
@Exits("NO_STORE DAMAGED EXISTS BUSY NO_ROOM DENIED OTHER_VERSION FEW_DESCRIPTORS CRASHED")
abstract class LaunchCommand implements Subcommand {
  private final Supplier<Path> program;

  @Spec private CommandSpec spec;

  @Mixin private ServiceOptions options;

  @Option(
      names = "--profile",
      paramLabel = "DIR",
      description = "Record every write in this directory, for sluice profile.")
  private Path profile;

  @Parameters(
      paramLabel = "CMD",
      arity = "1..*",
      description = "The command and its arguments, after --.")
  private List<String> command;

  LaunchCommand(final Supplier<Path> program) {
    this.program = program;
  }

  @Override
  public Integer call() throws IOException {
    return NativeProgram.run(program.get(), spec);
  }
}
