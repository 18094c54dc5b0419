package org.sluice.iop.drain;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.posix.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.Container;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.ImageFacts;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;

/**
 * What the service thread asks of the pipeline. Everything asked for happens in the order in which
 * it was asked. Service thread only.
 */
public final class Drain implements AutoCloseable {
  /** How far the first stage may be ahead of the second; bounds the heap. */
  private static final int TABLES = 16;

  private static final int REQUESTS = 1024;

  private final Segment segment;
  private final Statistics statistics;
  private final Journal journal;
  private final long sessionId;
  private final Layout layout;
  private final Pipeline pipeline;
  private final Grants grants = new Grants();
  private final ChunkReader reader = new ChunkReader();

  /** By index: the chunks on their way through the pipeline. */
  private final AtomicReferenceArray<ChunkWork> underWay;

  private final BlockingQueue<ExtentTable> tables = new ArrayBlockingQueue<>(TABLES);

  /**
   * Starts the drain.
   *
   * @param segment the segment; stays the caller's
   * @param store takes the containers; stays the caller's
   * @param node this node's name
   * @param statistics counts
   * @param journal learns what is drained
   */
  public Drain(
      final Segment segment,
      final CheckpointStore store,
      final String node,
      final Statistics statistics,
      final Journal journal) {
    this.segment = segment;
    this.statistics = statistics;
    this.journal = journal;
    this.sessionId = segment.header().sessionId();
    this.layout =
        segment.header().layout() == HeaderDescriptor.LAYOUT_FILES
            ? new FilesLayout(statistics, journal.inFlight())
            : new ContainerLayout(
                store,
                sessionId,
                node,
                (long) segment.geometry().chunkCount() * segment.geometry().chunkLength(),
                statistics,
                journal.inFlight());
    this.underWay = new AtomicReferenceArray<>(segment.geometry().chunkCount());
    for (int i = 0; i < TABLES; i++) {
      tables.add(new ExtentTable());
    }
    this.pipeline =
        new Pipeline(segment.geometry().chunkCount() + REQUESTS, layout::flush, journal.inFlight());
  }

  /**
   * Whether drained extents of diverted images go to the images' own files.
   *
   * @return true in the files layout
   */
  public boolean isInPlace() {
    return layout.isInPlace();
  }

  /**
   * Drains a chunk.
   *
   * @param slot who published it
   * @param chunk its index
   * @param word its state word when it was found to be published; a mad owner may change it
   * @param used its used length
   * @param position of the slot's ring behind the record that told
   */
  public void publish(
      final int slot, final int chunk, final long word, final int used, final long position) {
    journal.write(
        new Entry.Taken(slot, chunk, ChunkStateDescriptor.generation(word), used, position));
    publish(slot, chunk, word, used);
  }

  /**
   * Drains a chunk that went into the drain of a former I/O process.
   *
   * @param taken what that one wrote down, which counts, whatever the state word says by now
   */
  public void resume(final Entry.Taken taken) {
    final long word =
        ChunkStateDescriptor.word(ChunkStateDescriptor.PUBLISHED, taken.slot(), taken.generation());
    publish(taken.slot(), taken.chunk(), word, taken.used());
  }

  private void publish(final int slot, final int chunk, final long word, final int used) {
    if (used == Entry.ADOPTED) {
      publish(chunk, ChunkWork.adopted(this, slot, chunk, word));
    } else {
      statistics.published(Math.min(used, segment.geometry().chunkLength()));
      publish(chunk, ChunkWork.published(this, slot, chunk, word, used));
    }
  }

  private void publish(final int chunk, final ChunkWork work) {
    underWay.set(chunk, work);
    pipeline.publish(work);
  }

  /**
   * Puts what a process has appended to a chunk so far into its images' own files, in the files
   * layout.
   *
   * @param slot whose chunk it is
   * @param chunk its index; not in the pipeline
   * @param word its state word
   */
  public void peek(final int slot, final int chunk, final long word) {
    pipeline.publish(new PeekWork(this, slot, chunk, word));
  }

  /**
   * Whether so much is under way that what may wait should.
   *
   * @return true while {@link #peek} might wait for the disk
   */
  public boolean isCrowded() {
    return pipeline.isCrowded();
  }

  /**
   * Whether a chunk is on its way through the pipeline.
   *
   * @param chunk its index
   * @param word its state word: what its next owner publishes is another one
   * @return false before, and once it was released
   */
  public boolean has(final int chunk, final long word) {
    final ChunkWork work = underWay.get(chunk);
    return work != null && work.isOf(word);
  }

  /** It is released. Write stage only. */
  void left(final int chunk, final ChunkWork work) {
    underWay.compareAndSet(chunk, work, null);
  }

  /**
   * Drains a chunk that its owner left behind.
   *
   * @param slot who owned it
   * @param chunk its index; published by now
   * @param word its state word, as it was read when it was found; it may be anything by now
   */
  public void adopt(final int slot, final int chunk, final long word) {
    publish(slot, chunk, word, Entry.ADOPTED, Entry.NO_POSITION);
  }

  /**
   * Lets a slot append to an image.
   *
   * @param slot the slot
   * @param image the image
   */
  public void grant(final int slot, final Image image) {
    pipeline.publish(SlotWork.grant(grants, slot, image));
  }

  /**
   * Ends what {@link #grant} began.
   *
   * @param slot the slot
   * @param image the image
   */
  public void revoke(final int slot, final Image image) {
    pipeline.publish(SlotWork.revoke(grants, slot, image));
  }

  /**
   * Ends all grants of a slot.
   *
   * @param slot the slot
   */
  public void revokeAll(final int slot) {
    pipeline.publish(SlotWork.revokeAll(grants, slot));
  }

  /**
   * Makes the image's own file hold everything, once and for all.
   *
   * @param image a direct image
   * @param unpublished chunks of its writer that are not in the pipeline, in program order
   * @param emptied whether it was truncated to nothing
   */
  public void makeDirect(final Image image, final int[] unpublished, final boolean emptied) {
    pipeline.publish(new DirectWork(this, image, unpublished, emptied));
  }

  /**
   * Makes the image's own file hold everything drained.
   *
   * @param image the image
   */
  public void settle(final Image image) {
    pipeline.publish(
        ImageWork.of(
            image,
            ImageWork.Kind.SETTLE,
            () -> {
              layout.settle(image, List.of());
              restarted(image, Entry.Cause.SETTLED, List.of());
            }));
  }

  /**
   * Forgets what was drained of an image that was truncated to nothing, errors included.
   *
   * @param image the image
   * @param fileToo whether the drain may have written to its own file since
   */
  public void empty(final Image image, final boolean fileToo) {
    journal.write(new Entry.Emptying(image.id(), fileToo));
    resumeEmpty(image, fileToo);
  }

  /**
   * Does what {@link #empty} of a former I/O process was to do.
   *
   * @param image the image
   * @param fileToo as there
   */
  public void resumeEmpty(final Image image, final boolean fileToo) {
    pipeline.publish(
        ImageWork.of(
            image,
            ImageWork.Kind.EMPTY,
            () -> {
              image.log().restart(image.log().isInPlace(), 0);
              image.recover();
              if (fileToo) {
                image.file().truncate(0);
              }
              restarted(image, Entry.Cause.EMPTIED, List.of());
            }));
  }

  /**
   * Begins to log an image again, over what its own file holds.
   *
   * @param image an image that was direct
   */
  public void divert(final Image image) {
    pipeline.publish(
        ImageWork.of(
            image,
            ImageWork.Kind.DIVERT,
            () -> {
              image.log().restart(layout.isInPlace(), image.file().size());
              image.size(image.log().size());
              restarted(image, Entry.Cause.DIVERTED, List.of());
            }));
  }

  /**
   * Corrects the size of an image whose writer died.
   *
   * @param image an image that nobody has open
   */
  public void correctSize(final Image image) {
    pipeline.publish(
        ImageWork.of(image, ImageWork.Kind.SIZE, () -> image.size(image.drainedSize())));
  }

  /**
   * Brings what was drained of an image to stable storage.
   *
   * @param image the image
   * @param durable takes the time when that is done; called by the last stage
   */
  public void sync(final Image image, final LongConsumer durable) {
    pipeline.publish(new SyncWork(this, image, durable));
  }

  /**
   * Forgets where the bytes of an image are, since nobody will ask for them again.
   *
   * @param image the image
   */
  public void release(final Image image) {
    pipeline.publish(
        ImageWork.of(
            image,
            ImageWork.Kind.RELEASE,
            () -> {
              image.log().settled();
              restarted(image, Entry.Cause.SETTLED, List.of());
            }));
  }

  /**
   * Fails the images of which storage may have lost bytes, since a sync failed. Last stage only.
   *
   * @param failure how it failed
   */
  public void failLost(final IOException failure) {
    layout.failLost(failure);
  }

  /**
   * Says that chunks from here on are of another checkpoint. Write stage only.
   *
   * @return containers that no image needs any more; the last stage closes them
   */
  public List<Container> turn() {
    layout.turn();
    return layout.release();
  }

  /**
   * Makes the files ready that chunks of the next checkpoint go to. Last stage only.
   *
   * @throws IOException when that fails
   */
  public void prepare() throws IOException {
    layout.prepare();
  }

  /** Closes the files that no image needs any more, and makes the next ones ready. */
  public void tidy() {
    pipeline.publish(new TidyWork(layout, false));
  }

  /** Closes the files that no image needs any more, and gives their room back. */
  public void makeRoom() {
    pipeline.publish(new TidyWork(layout, true));
  }

  /**
   * Answers once everything asked for before was written.
   *
   * @param caller whom
   * @param reply what; called by the write stage
   */
  public void answer(final Caller caller, final Supplier<Reply> reply) {
    pipeline.publish(new AnswerWork(caller, reply));
  }

  /**
   * Does something once everything asked for before is done.
   *
   * @param action what; called by the last stage
   */
  public void afterwards(final Runnable action) {
    pipeline.publish(new LastWork(action));
  }

  /**
   * Sends other work through the pipeline.
   *
   * @param work what to do
   */
  public void publish(final Work work) {
    pipeline.publish(work);
  }

  /**
   * The reply about an image, unless it failed.
   *
   * @param image the image
   * @param reply the reply if it did not
   * @return what to answer
   */
  public static Reply unlessFailed(final Image image, final Reply reply) {
    return image.errno() == 0
        ? reply
        : new Reply.Failed(
            image.errno(),
            "%s: %s".formatted(image.file().opened(), Errno.describe(image.errno())));
  }

  /** The image's own file holds what was drained so far. Write stage only. */
  void restarted(final Image image, final Entry.Cause cause, final List<Entry.Mark> marks) {
    final boolean here = image.log().isInPlace();
    journal.write(new Entry.Restarted(image.id(), cause, here, image.log().size(), marks));
  }

  /**
   * Takes over what a former I/O process had drained. Before anything else is asked for.
   *
   * @param image an image
   * @param facts what is known of it
   * @throws IOException when its containers or its file cannot be had
   */
  public void resume(final Image image, final ImageFacts facts) throws IOException {
    image.log().resume(facts, image.file().size());
    layout.resume(image);
  }

  Journal journal() {
    return journal;
  }

  InFlight inFlight() {
    return journal.inFlight();
  }

  /** Read once: what is in the segment may be anything by now. */
  long sessionId() {
    return sessionId;
  }

  Segment segment() {
    return segment;
  }

  Statistics statistics() {
    return statistics;
  }

  Layout layout() {
    return layout;
  }

  /** First stage only. */
  Grants grants() {
    return grants;
  }

  /** First stage only. */
  ChunkReader reader() {
    return reader;
  }

  /** Waits for a table if the write stage is that far behind. First stage only. */
  ExtentTable takeTable() {
    try {
      return tables.take();
    } catch (final InterruptedException nobodyDoes) {
      throw new IllegalStateException(nobodyDoes);
    }
  }

  void returnTable(final ExtentTable table) {
    table.clear();
    tables.add(table);
  }

  /** Waits until everything is done, then ends the session's containers. */
  @Override
  public void close() throws IOException {
    pipeline.close();
    layout.close();
  }
}
