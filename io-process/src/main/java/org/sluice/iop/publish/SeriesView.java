package org.sluice.iop.publish;

import java.io.IOException;
import java.util.List;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.series.SeriesReader;
import org.sluice.core.store.series.SeriesRun;
import org.sluice.iop.journal.Entry;

/**
 * The view of checkpoints that a series' log gives. Any thread; one at a time reads on where it
 * was.
 */
final class SeriesView implements AutoCloseable {
  private final SeriesStorage storage;
  private final SeriesRun run;

  /** The reader; null until something is asked of it. Guarded by this. */
  private SeriesReader reader;

  SeriesView(final SeriesStorage storage, final SeriesRun run) {
    this.storage = storage;
    this.run = run;
  }

  /** Opens the series as a restart sees it. The caller closes it. */
  public SeriesReader open() throws IOException {
    return new SeriesReader(storage.open(), storage.series());
  }

  /**
   * Returns whether a checkpoint counts that no file joined since. Its parts of all nodes are read.
   */
  public synchronized boolean isCommitted(final long number) throws IOException {
    return reader().find(number).filter(commit -> !commit.incomplete()).isPresent();
  }

  /** Returns where a checkpoint that counts is from. Its parts of all nodes are read. */
  public synchronized Origin origin(final long number) throws IOException {
    return reader().find(number).map(commit -> commit.source().origin()).orElse(Origin.UNKNOWN);
  }

  /** Returns whether a commit of this node's own store is a part of a checkpoint that counts. */
  public boolean counts(final Commit commit) throws IOException {
    return roundOf(commit) != Entry.NO_ROUND;
  }

  /** The round of a commit that an I/O process of this node made; none where it counts no more. */
  synchronized long roundOf(final Commit commit) throws IOException {
    return reader()
        .roundOf(run.begin(), run.node(), commit.number(), commit.id())
        .orElse(Entry.NO_ROUND);
  }

  /** Returns whether a commit of any node's own store is a part of a checkpoint that counts. */
  synchronized boolean has(final long begin, final String node, final Commit commit)
      throws IOException {
    return reader().roundOf(begin, node, commit.number(), commit.id()).isPresent();
  }

  /** The checkpoint committed last. */
  synchronized List<Commit> newest() throws IOException {
    return reader().newest().stream().toList();
  }

  private SeriesReader reader() throws IOException {
    reader = reader == null ? open() : reader;
    return reader;
  }

  @Override
  public synchronized void close() throws IOException {
    if (reader != null) {
      reader.close();
    }
  }
}
