package org.sluice.iop.wave;

import java.io.IOException;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.StoreOption;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.parts.Stores;
import org.sluice.core.store.series.SeriesLog;
import org.sluice.core.store.series.SeriesState;
import org.sluice.core.store.series.SeriesStore;

/**
 * The runs of a series that are attempts of one {@code sluice mpi}. Another job may have begun in
 * it meanwhile, and its waves would be the newest.
 */
public final class OwnRuns {
  /**
   * The variable by which {@code sluice mpi} names each of its attempts, on all nodes alike:
   * JOB-NUMBER.
   */
  public static final String ATTEMPT = "SLUICE_MPI_LAUNCH";

  private OwnRuns() {}

  /** Sees that a restart may begin with the newest wave. */
  static void check(final StoreOption store, final String series) throws IOException {
    final String attempt = System.getenv(ATTEMPT);
    if (attempt == null || attempt.endsWith("-0")) {
      return;
    }
    final String job = "-" + attempt.substring(0, attempt.lastIndexOf('-') + 1);
    try (SeriesStore nodes = Stores.ofSeveralNodes(store).orElse(null)) {
      if (nodes != null) {
        check(new SeriesLog(nodes.engine(series)), job, "series %s of %s".formatted(series, nodes));
      }
    } catch (final NoStoreException none) {
      // no attempt has made it
    }
  }

  private static void check(final SeriesLog log, final String job, final String where)
      throws IOException {
    final SeriesState state = log.read();
    final long own = log.beginOf(run -> run.contains(job));
    if (own > 0 && own < state.begin()) {
      throw new CommandException(
          ExitStatus.BUSY,
          "another job began in %s, as run %s: a restart would go on from its checkpoints; give each job a --series of its own"
              .formatted(where, state.owner().orElseThrow().run()));
    }
  }
}
