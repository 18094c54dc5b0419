package org.sluice.core.store.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.store.model.Commit;

/** The removal of checkpoints and garbage from a store of one node. */
public final class NodeTidying implements StoreTidying {
  private final PosixStore store;
  private List<Commit> candidates = List.of();

  /**
   * @param store the store, closed with this
   */
  public NodeTidying(final PosixStore store) {
    this.store = store;
  }

  @Override
  public CheckpointReader reader() {
    return store;
  }

  @Override
  public List<Commit> candidates(final boolean dryRun) throws IOException {
    candidates = dryRun ? store.commits(unreadable -> {}) : store.durableCommits(unreadable -> {});
    return candidates;
  }

  @Override
  public List<Long> remove(final Collection<Long> numbers) throws IOException {
    final List<Long> read = new ArrayList<>();
    for (final long number : numbers) {
      boolean removed = store.removeUnreadable(number);
      for (final Commit commit : candidates) {
        if (removed && commit.number() == number) {
          removed = remove(commit);
        }
      }
      if (!removed) {
        read.add(number);
      }
    }
    return read;
  }

  private boolean remove(final Commit commit) throws IOException {
    if (!store.remove(commit)) {
      return false;
    }
    for (final long container : commit.content().containers()) {
      store.discard(container);
    }
    return true;
  }

  @Override
  public List<Leftover> setAsideDamagedLogs(final boolean dryRun) throws IOException {
    return store.setAsideDamagedLogs(dryRun);
  }

  @Override
  public List<Leftover> collectGarbage(
      final boolean dryRun, final Consumer<IOException> unreadable, final LongConsumer left)
      throws IOException {
    return store.collectGarbage(dryRun, unreadable);
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
