package org.sluice.iop.command;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandException;
import org.sluice.core.store.parts.SeriesDirectory;
import picocli.CommandLine;

class StatusCommandTest {
  @TempDir Path root;

  private static StatusCommand of(final Path store) {
    final StatusCommand status = new StatusCommand();
    new CommandLine(status.spec()).parseArgs("--store", store.toString());
    return status;
  }

  @Test
  void aStoreWhoseWavesAreInAnotherSeriesNamesIt() throws Exception {
    final SeriesDirectory store = SeriesDirectory.create(root.resolve("store"));
    store.make("tuesday");
    assertThatThrownBy(of(store.root())::call)
        .isInstanceOf(CommandException.class)
        .hasMessageEndingWith("store/default; run a job there with sluice mpi");
    Files.createFile(store.root().resolve("tuesday/mpi.log"));
    assertThatThrownBy(of(store.root())::call)
        .isInstanceOf(CommandException.class)
        .hasMessageEndingWith(
            "store/default; there are in other series, to be named with --series: tuesday");
  }
}
