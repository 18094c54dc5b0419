package org.sluice.iop;

import static org.sluice.core.command.Model.option;
import static org.sluice.core.command.Model.parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.sluice.bridge.NativeProgram;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command that runs another with its files captured: its options, of which the native program's
 * table is generated, and their help. {@code scripts/sluice} goes to that program without a JVM.
 */
abstract class LaunchCommand implements Subcommand {
  private final Supplier<Path> program;
  private final CommandSpec spec;

  LaunchCommand(final String name, final Supplier<Path> program) {
    this.program = program;
    this.spec =
        describe(Model.of(this, name))
            .exits(
                ExitStatus.NO_STORE,
                ExitStatus.DAMAGED,
                ExitStatus.EXISTS,
                ExitStatus.BUSY,
                ExitStatus.NO_ROOM,
                ExitStatus.DENIED,
                ExitStatus.OTHER_VERSION,
                ExitStatus.FEW_DESCRIPTORS,
                ExitStatus.CRASHED,
                ExitStatus.PREEMPTED)
            .add(new ServiceOptions())
            .add(
                option(String.class, value -> {}, "--profile")
                    .paramLabel("DIR")
                    .description("Record every write in this directory, for sluice profile."))
            .add(
                parameters(String.class, value -> {})
                    .paramLabel("CMD")
                    .arity("1..*")
                    .description("The command and its arguments, after --."))
            .spec();
  }

  /** Says what it does, with examples. */
  abstract Model describe(Model model);

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    return NativeProgram.run(program.get(), spec);
  }
}
