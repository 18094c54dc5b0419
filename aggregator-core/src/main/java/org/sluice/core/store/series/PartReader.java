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

/** Reads what nodes have of the checkpoints of a series. Not thread-safe, but for what it opens. */
public interface PartReader extends AutoCloseable {
  /** What a node has of a checkpoint. */
  interface Part {
    /**
     * What its manifest says.
     *
     * @return as the node committed it
     */
    Commit commit();

    /**
     * What its index says.
     *
     * @return as the node committed it
     */
    List<CommittedImage> images();

    /**
     * Whether a file joined it after its commit.
     *
     * @return whether it is known by now
     */
    boolean isIncomplete();

    /**
     * Rebuilds images of it.
     *
     * @param oneOfSeveral whether other threads do so, too
     * @return for one thread; the caller closes it
     */
    Rebuilder rebuilder(boolean oneOfSeveral);

    /**
     * Checks all of its bytes.
     *
     * @param damage told of everything that is damaged or of another version
     * @param progress told of bytes checked since it was last told
     * @throws IOException when something cannot be read
     */
    void verify(Consumer<IOException> damage, LongConsumer progress) throws IOException;

    /**
     * Adds who could have written it.
     *
     * @param owners users' names by their numbers
     * @throws IOException when that cannot be told
     */
    void addOwners(Map<Integer, String> owners) throws IOException;
  }

  /**
   * Opens a part.
   *
   * @param key its key
   * @param part as it was put
   * @return open until this is closed
   * @throws NoStoreException when what it names is missing
   * @throws IOException when that fails
   */
  Part open(PartKey key, StoredPart part) throws IOException;

  /**
   * What one of a run's nodes has left as plain files.
   *
   * @param begin the sequence of the run's begin
   * @return empty for none
   * @throws IOException when that fails
   */
  Optional<LeftAsFiles> leftAsFiles(long begin) throws IOException;

  /**
   * Checks what belongs to no checkpoint.
   *
   * @param damage told of everything that is damaged
   * @return how far the log was, as far as nodes' own stores tell; 0 when they do not
   * @throws IOException when something cannot be read
   */
  long verifyStores(Consumer<IOException> damage) throws IOException;

  /**
   * How far the log was when a node ended.
   *
   * @param begin the sequence of its run's begin
   * @param node the node's name, as keys have it
   * @return 0 when that is not told
   * @throws IOException when that cannot be read
   */
  long last(long begin, String node) throws IOException;

  /**
   * Adds who could have written objects of the series, where users can be told.
   *
   * @param owners users' names by their numbers
   * @param keys of objects and folders, which end in a slash
   * @throws IOException when that cannot be told
   */
  void addOwners(Map<Integer, String> owners, List<String> keys) throws IOException;

  /**
   * Whether it can be told who wrote what it reads.
   *
   * @return false where each user who may write there could have done so
   */
  boolean knowsOwners();

  @Override
  void close() throws IOException;
}
