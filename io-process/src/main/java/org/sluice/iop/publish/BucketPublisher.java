package org.sluice.iop.publish;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.sluice.core.store.directory.Farewell;
import org.sluice.core.store.directory.RememberedGrouping;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.series.FencedException;
import org.sluice.core.store.series.RequiredRanks;

/** A stage, on which a commit counts for this node, and a bucket, in which it counts for all. */
public final class BucketPublisher extends SharedPublisher {
  private final BucketUploader uploader;

  /**
   * @param store the stage, which stays the caller's
   * @param uploader copies from it; closed with this
   */
  public BucketPublisher(final PosixStore store, final BucketUploader uploader) {
    super(store, uploader.series());
    this.uploader = uploader;
  }

  @Override
  public boolean hasStage() {
    return true;
  }

  @Override
  public LongPredicate committedBefore(final Set<Long> leaving) throws IOException {
    return uploader.committed(leaving)::contains;
  }

  @Override
  public RememberedGrouping grouping() {
    return commits().grouping();
  }

  @Override
  public void check() throws FencedException {
    uploader.check();
  }

  @Override
  public void publish(
      final Commit commit,
      final long round,
      final long growth,
      final RequiredRanks required,
      final Runnable counts,
      final Consumer<IOException> refused) {
    if (round + growth > 0) {
      removeSuperseded(store, commit, uploader::need);
    }
  }

  @Override
  public boolean counts(final Commit commit) throws IOException {
    return store.find(commit.number()).filter(newest -> newest.id() == commit.id()).isPresent();
  }

  @Override
  public void hurry(final long number) {
    if (uploader.areGlobal()) {
      commits().hurry(number);
    }
  }

  @Override
  public <T> T read(final Reading<T> reading) throws IOException {
    return uploader.areGlobal() ? readBucket(reading) : super.read(reading);
  }

  @Override
  public boolean isContentWithStage() {
    return !uploader.areGlobal();
  }

  @Override
  public <T> T readBucket(final Reading<T> reading) throws IOException {
    return readAll(reading);
  }

  /**
   * Removes a commit unless it is still to be copied. The upload is asked first: a copy that begins
   * behind the removal would take the commit for gone.
   */
  @Override
  public boolean remove(final Commit commit, final Farewell farewell) throws IOException {
    return !uploader.need(commit) && super.remove(commit, farewell);
  }

  @Override
  public Uploads uploads() {
    return uploader;
  }

  @Override
  public Optional<FencedException> fence() {
    return uploader.fence();
  }

  @Override
  public void limit(final long deadline) {
    uploader.limit(deadline);
  }

  @Override
  public void close() throws IOException {
    uploader.close();
  }
}
