package org.sluice.iop.command;

import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.command.Model;
import org.sluice.core.command.SeriesOption;
import org.sluice.core.command.SharedOptions;
import org.sluice.core.command.StoreOption;
import org.sluice.core.store.parts.Stores;
import org.sluice.iop.wave.WaveFiles;

/** The options of commands that look at the checkpoints of {@code sluice mpi} jobs in a store. */
final class WavesOption implements SharedOptions {
  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();
  private Optional<Path> stage = Optional.empty();

  @Override
  public void addTo(final Model model) {
    model
        .add(store)
        .add(series)
        .add(
            option(Path.class, value -> stage = Optional.ofNullable(value), "--stage")
                .paramLabel("DIR")
                .defaultValue("${env:SLUICE_STAGE}")
                .description(
                    "Where the store is a URI: the stage of rank 0's node, which has the checkpoints' log;"
                        + " default: environment SLUICE_STAGE."));
  }

  StoreOption store() {
    return store;
  }

  /** Returns the name of the series; empty for the one that runs use by default. */
  Optional<String> series() {
    return series.name();
  }

  WaveFiles files() throws IOException {
    return WaveFiles.of(store, series().orElse(Stores.DEFAULT_SERIES), stage);
  }
}
