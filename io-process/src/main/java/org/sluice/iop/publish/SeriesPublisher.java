package org.sluice.iop.publish;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.sluice.core.store.directory.Farewell;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.series.RequiredRanks;
import org.sluice.iop.measure.Warnings;

/** A node's place in a series, in which a commit counts once the nodes of all ranks have theirs. */
public final class SeriesPublisher extends SharedPublisher {
  /**
   * @param store the node's own store, which stays the caller's
   * @param commits the series; closed with this
   */
  public SeriesPublisher(final PosixStore store, final SeriesCommits commits) {
    super(store, commits);
  }

  @Override
  public boolean awaitsNodes() {
    return true;
  }

  /** Each of many nodes would read the parts of all: that is done when a process waits. */
  @Override
  public LongPredicate committedBefore(final Set<Long> leaving) {
    return number -> {
      try {
        return commits().view().isCommitted(number);
      } catch (final IOException e) {
        Warnings.warn(
            "whether checkpoint %d is committed cannot be told: %s"
                .formatted(number, e.getMessage()));
        return false;
      }
    };
  }

  @Override
  public List<Commit> newestBefore(final List<Commit> own) throws IOException {
    return commits().newestBefore();
  }

  @Override
  public long countBefore(final List<Commit> own) {
    return commits().countBefore();
  }

  @Override
  public void publish(
      final Commit commit,
      final long round,
      final long growth,
      final RequiredRanks required,
      final Runnable counts,
      final Consumer<IOException> refused)
      throws IOException {
    commits().put(commit, commits().part(commit, round, growth, required), counts, refused);
  }

  @Override
  public boolean counts(final Commit commit) throws IOException {
    return commits().view().counts(commit);
  }

  @Override
  public void hurry(final long number) {
    commits().hurry(number);
  }

  @Override
  public <T> T read(final Reading<T> reading) throws IOException {
    return readAll(reading);
  }

  @Override
  public boolean remove(final Commit commit, final Farewell farewell) throws IOException {
    return super.remove(
        commit,
        () -> {
          final boolean goes = farewell.run();
          if (goes) {
            commits().remove(commit);
          }
          return goes;
        });
  }

  @Override
  public List<Commit> earlier(final long sessionId) throws IOException {
    return commits().earlier();
  }

  @Override
  public boolean removeEarlier(final Commit commit, final Farewell farewell) throws IOException {
    final boolean goes = farewell.run();
    if (goes) {
      commits().removeEarlier(commit);
    }
    return goes;
  }

  @Override
  public List<CommittedImage> imagesOf(final Commit commit) throws IOException {
    return commits().imagesOf(commit);
  }

  @Override
  public void endCommits() {
    commits().end();
  }

  @Override
  public long patience() {
    return commits().patience();
  }

  /** Other nodes get half of it, so that what they do not complete can become plain files. */
  @Override
  public void limit(final long deadline) {
    commits().patience(Math.max(0, (deadline - System.nanoTime()) / 2));
  }

  @Override
  public long lastEntry() {
    return commits().last();
  }

  @Override
  public void close() throws IOException {
    commits().close();
  }
}
