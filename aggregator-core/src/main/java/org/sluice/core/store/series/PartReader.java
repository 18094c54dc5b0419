package org.sluice.core.store.series;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.store.directory.LeftAsFiles;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;

/**
 * A reader of the nodes' parts of checkpoints of a series. Not thread-safe, but for the parts that
 * it opens.
 */
public interface PartReader extends AutoCloseable {
  /** The part of a checkpoint that one node has. */
  interface Part {
    Commit commit();

    List<CommittedImage> images();

    /** Returns whether a file joined the part after its commit. */
    boolean isIncomplete();

    /** Returns a rebuilder for one thread; the caller closes it. */
    Rebuilder rebuilder(boolean oneOfSeveral);

    /**
     * @param damage told of everything that is damaged or of another version
     * @param progress told of bytes checked since it was last told
     */
    void verify(Consumer<IOException> damage, LongConsumer progress) throws IOException;

    void addOwners(Map<Integer, String> owners) throws IOException;
  }

  /**
   * @return part that stays open until this reader is closed
   * @throws NoStoreException when a store that it names is missing
   */
  Part open(PartKey key, StoredPart part) throws IOException;

  /** Returns the plain files that a node of a run has left; empty for none. */
  Optional<LeftAsFiles> leftAsFiles(long begin) throws IOException;

  /**
   * Checks the files of stores that belong to no checkpoint.
   *
   * @return last entry of the log that the nodes' own stores name; 0 when they name none
   */
  long verifyStores(Consumer<IOException> damage) throws IOException;

  /**
   * Returns the last entry that the log had when a node ended.
   *
   * @return sequence of that entry; 0 when it is unknown
   */
  long last(long begin, String node) throws IOException;

  /**
   * Adds the users who could have written objects of the series, where users can be known; keys of
   * folders end in a slash.
   */
  void addOwners(Map<Integer, String> owners, List<String> keys) throws IOException;

  /**
   * Returns whether the writers of the parts can be known; false where each user who may write
   * there could have written them.
   */
  boolean knowsOwners();

  @Override
  void close() throws IOException;
}
