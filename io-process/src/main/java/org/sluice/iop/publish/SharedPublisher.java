package org.sluice.iop.publish;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.measure.Warnings;

/** A store of a node that shares a series with others, be it in directories or in a bucket. */
abstract class SharedPublisher extends NodePublisher {
  private final SeriesCommits commits;

  /** The series is the caller's to close. */
  SharedPublisher(final PosixStore store, final SeriesCommits commits) {
    super(store);
    this.commits = commits;
  }

  /**
   * Removes older commits of a number from the node's store, in which none supersedes another: no
   * reader looks for what the series' log does not have any more. Last stage, or the watcher.
   */
  static void removeSuperseded(
      final PosixStore store, final Commit newer, final Predicate<Commit> needed) {
    try {
      for (final Commit older : store.commits(damaged -> {})) {
        if (older.number() == newer.number()
            && older.identity().sequence() < newer.identity().sequence()
            && !needed.test(older)) {
          store.remove(older);
        }
      }
    } catch (final IOException e) {
      Warnings.warn(
          "checkpoint %d is committed, but an older one of it stays in %s: %s"
              .formatted(newer.number(), store.directory(), e.getMessage()));
    }
  }

  final SeriesCommits commits() {
    return commits;
  }

  @Override
  public final LongStream numbersBefore() {
    return commits.numbersBefore();
  }

  @Override
  public final boolean hasNodes() {
    return true;
  }

  @Override
  public final Optional<String> run() {
    return Optional.of(commits.run());
  }

  @Override
  public final void checkPrivateFiles() {
    commits.checkPrivateFiles();
  }

  @Override
  public final Origin origin(final long number) throws IOException {
    return commits.view().origin(number);
  }

  @Override
  public final RankSet missing(final long number) {
    return commits.missing(number);
  }

  final <T> T readAll(final Reading<T> reading) throws IOException {
    try (CheckpointReader reader = commits.view().open()) {
      return reading.of(reader);
    }
  }
}
