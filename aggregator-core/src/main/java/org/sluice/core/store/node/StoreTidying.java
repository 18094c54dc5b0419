package org.sluice.core.store.node;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.store.model.Commit;

/**
 * The removal of checkpoints, and of what no checkpoint needs, from a store of one node or from a
 * series. Any process may do so, also beside a run that goes on. Not thread-safe.
 */
public interface StoreTidying extends AutoCloseable {
  /** Returns a reader of the same store, closed with this. */
  CheckpointReader reader();

  /**
   * Lists the readable checkpoints, the one committed first first. {@link #remove} leaves those
   * committed after this call.
   *
   * @param dryRun true if none will be removed
   */
  List<Commit> candidates(boolean dryRun) throws IOException;

  /**
   * Removes checkpoints, damaged ones too, and the bytes that only they need.
   *
   * @param numbers numbers of checkpoints that were there at {@link #candidates}
   * @return numbers of those that stay, since a process reads them
   * @throws IOException when that fails; some may be removed
   */
  List<Long> remove(Collection<Long> numbers) throws IOException;

  /**
   * Goes on without damaged logs, as far as they belong to no live process.
   *
   * @return the damaged logs, or entries of them
   */
  List<Leftover> setAsideDamagedLogs(boolean dryRun) throws IOException;

  /**
   * Removes everything that no committed checkpoint needs and no live process uses. In a series
   * whose log is damaged all stays, as the next call with an intact log knows what counts.
   *
   * @param unreadable told of each manifest that is damaged or of another version, while which all
   *     containers stay, and of what is no file where only files of this store belong, and stays
   * @param left told how many leftovers are still to be removed, where that takes long
   * @return what is removed, or would be
   */
  List<Leftover> collectGarbage(boolean dryRun, Consumer<IOException> unreadable, LongConsumer left)
      throws IOException;

  @Override
  void close() throws IOException;
}
