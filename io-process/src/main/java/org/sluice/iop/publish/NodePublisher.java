package org.sluice.iop.publish;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.sluice.core.store.directory.Farewell;
import org.sluice.core.store.directory.RememberedGrouping;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.series.FencedException;
import org.sluice.core.store.series.RequiredRanks;

/** A store of one node, in which a commit counts as soon as it is there. */
class NodePublisher implements Publisher {
  final PosixStore store;

  NodePublisher(final PosixStore store) {
    this.store = store;
  }

  @Override
  public boolean hasNodes() {
    return false;
  }

  @Override
  public boolean awaitsNodes() {
    return false;
  }

  @Override
  public boolean hasStage() {
    return false;
  }

  @Override
  public Optional<String> run() {
    return Optional.empty();
  }

  @Override
  public void checkPrivateFiles() {}

  @Override
  public LongStream numbersBefore() {
    return LongStream.empty();
  }

  @Override
  public Origin origin(final long number) throws IOException {
    return Origin.UNKNOWN;
  }

  @Override
  public LongPredicate committedBefore(final Set<Long> leaving) throws IOException {
    return store.commits(damaged -> {}).stream()
            .filter(commit -> !commit.incomplete())
            .map(Commit::number)
            .collect(Collectors.toSet())
        ::contains;
  }

  @Override
  public List<Commit> newestBefore(final List<Commit> own) throws IOException {
    return own;
  }

  @Override
  public long countBefore(final List<Commit> own) {
    return own.size();
  }

  @Override
  public RememberedGrouping grouping() {
    return store.grouping();
  }

  @Override
  public void check() throws FencedException {}

  @Override
  public void publish(
      final Commit commit,
      final long round,
      final long growth,
      final RequiredRanks required,
      final Runnable counts,
      final Consumer<IOException> refused)
      throws IOException {}

  @Override
  public boolean counts(final Commit commit) throws IOException {
    return true;
  }

  @Override
  public void hurry(final long number) {}

  @Override
  public RankSet missing(final long number) {
    return RankSet.NONE;
  }

  @Override
  public <T> T read(final Reading<T> reading) throws IOException {
    return reading.of(store);
  }

  @Override
  public boolean isContentWithStage() {
    return false;
  }

  @Override
  public <T> T readBucket(final Reading<T> reading) throws IOException {
    throw new IllegalStateException("there is no bucket");
  }

  @Override
  public boolean remove(final Commit commit, final Farewell farewell) throws IOException {
    return store.remove(commit, farewell);
  }

  @Override
  public List<Commit> earlier(final long sessionId) throws IOException {
    return store.commits(damaged -> {}).stream()
        .filter(commit -> commit.source().sessionId() != sessionId)
        .toList();
  }

  @Override
  public boolean removeEarlier(final Commit commit, final Farewell farewell) throws IOException {
    return store.remove(commit, farewell);
  }

  @Override
  public List<CommittedImage> imagesOf(final Commit commit) throws IOException {
    return store.images(commit);
  }

  @Override
  public Uploads uploads() {
    return Uploads.NONE;
  }

  @Override
  public Optional<FencedException> fence() {
    return Optional.empty();
  }

  @Override
  public void endCommits() {}

  @Override
  public long patience() {
    return 0;
  }

  @Override
  public void limit(final long deadline) {}

  @Override
  public long lastEntry() {
    return 0;
  }

  @Override
  public void close() throws IOException {}
}
