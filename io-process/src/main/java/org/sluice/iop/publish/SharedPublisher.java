package org.sluice.iop.publish;

import java.io.IOException;
import java.util.Optional;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.node.PosixStore;

/** A store of a node that shares a series with others, be it in directories or in a bucket. */
abstract class SharedPublisher extends NodePublisher {
  private final SeriesCommits commits;

  /** The series is the caller's to close. */
  SharedPublisher(final PosixStore store, final SeriesCommits commits) {
    super(store);
    this.commits = commits;
  }

  final SeriesCommits commits() {
    return commits;
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

  /** Reads what all nodes have. */
  final <T> T readAll(final Reading<T> reading) throws IOException {
    try (CheckpointReader reader = commits.view().open()) {
      return reading.of(reader);
    }
  }
}
