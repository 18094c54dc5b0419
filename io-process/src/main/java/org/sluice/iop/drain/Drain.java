package org.sluice.iop.drain;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.fault.Fault;
import org.sluice.core.request.Reply;
import org.sluice.core.segment.ChunkPool;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.Segment;
import org.sluice.core.store.disk.WritesInFlight;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.drain.ImageWork.Kind;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Cause;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;

/**
 * The requests of the service thread to the pipeline. They are carried out in the order in which
 * they are made. Service thread only.
 */
public final class Drain implements AutoCloseable {
  /** The used length of a chunk whose owner died before it told. */
  public static final int ADOPTED = -1;

  private static final int REQUESTS = 1024;

  private final Layout layout;
  private final DrainContext context;
  private final WritesInFlight flight;
  private final Pipeline pipeline;
  private final Executor service;
  private final Pace pace = new Pace();

  /**
   * Starts the drain.
   *
   * @param segment the segment; stays the caller's
   * @param store store of the containers; stays the caller's
   * @param service runs steps on the service thread
   */
  public Drain(
      final Segment segment,
      final Layout layout,
      final PosixStore store,
      final String node,
      final Statistics statistics,
      final Journal journal,
      final Executor service) {
    this.layout = layout;
    this.service = service;
    final long sessionId = segment.header().sessionId();
    final int chunks = segment.geometry().chunkCount();
    final SessionContainers containers = new SessionContainers(store, sessionId, node, layout);
    final long bufferLength = segment.geometry().buffer();
    flight = new WritesInFlight();
    final ChunkSink sink =
        layout.drainsToFiles()
            ? new FilesSink(
                statistics, journal.inFlight(), flight, bufferLength, store.profile()::mode)
            : new ContainerSink(
                store, sessionId, containers, flight, bufferLength, statistics, journal.inFlight());
    this.context =
        new DrainContext(
            segment,
            journal,
            statistics,
            sink,
            containers,
            new ChunkReading(
                sessionId, new AppendRights(), new ChunkReader(), new ExtentTable.Pool()),
            new AtomicReferenceArray<>(chunks));
    this.pipeline = new Pipeline(chunks + REQUESTS, sink, journal.inFlight(), pace);
  }

  /** Returns the layout of the session's bytes. Any thread. */
  public Layout layout() {
    return layout;
  }

  /**
   * Drains a chunk.
   *
   * @param word its state word when it was found to be published; a mad owner may change it
   * @param used its used length; {@link #ADOPTED} when its owner left it behind and its header
   *     tells
   * @param position end of the record that told, in the slot's ring; {@link Entry#NO_POSITION} for
   *     none
   */
  public void publish(
      final int slot, final int chunk, final long word, final int used, final long position) {
    context
        .journal()
        .write(new Entry.Taken(slot, chunk, ChunkStateDescriptor.generation(word), used, position));
    publish(slot, chunk, word, used);
  }

  /**
   * Drains a chunk that went into the drain of a former I/O process.
   *
   * @param taken record of that process, which counts, whatever the state word says by now
   */
  public void resume(final Entry.Taken taken) {
    final long word =
        ChunkStateDescriptor.word(ChunkStateDescriptor.PUBLISHED, taken.slot(), taken.generation());
    publish(taken.slot(), taken.chunk(), word, taken.used());
  }

  private void publish(final int slot, final int chunk, final long word, final int used) {
    final DrainWork work = new DrainWork(context, slot, chunk, word, used);
    context.underWay().set(chunk, work);
    pipeline.publish(work);
  }

  /**
   * Puts the bytes that a process has appended to a chunk so far into its images' own files, in the
   * files layout.
   */
  public void peek(final int slot, final int chunk, final long word) {
    pipeline.publish(new PeekWork(context, slot, chunk, word));
  }

  /** Returns whether so much is under way that less urgent work should wait. */
  public boolean isCrowded() {
    return pipeline.isCrowded();
  }

  /** Returns whether nothing is on its way to storage; false also a little longer. */
  public boolean isEmpty() {
    return pipeline.isEmpty();
  }

  /** Returns whether all work is done that processes wait for; false also a little longer. */
  public boolean isIdle() {
    return pipeline.isIdle();
  }

  /** Returns the pace at which its threads share the processors with the application. */
  public Pace pace() {
    return pace;
  }

  /**
   * Returns whether a chunk is on its way through the pipeline.
   *
   * @param word its state word: the next owner publishes with another one
   * @return false before, and once it was released
   */
  public boolean has(final int chunk, final long word) {
    final DrainWork work = context.underWay().get(chunk);
    return work != null && work.isOf(word);
  }

  public void grant(final int slot, final Image image) {
    pipeline.publish(
        new StepWork(Lane.Role.VALIDATE, () -> context.reading().grants().grant(slot, image)));
  }

  /** Ends the right of {@link #grant}. */
  public void revoke(final int slot, final Image image) {
    pipeline.publish(
        new StepWork(Lane.Role.VALIDATE, () -> context.reading().grants().revoke(slot, image)));
  }

  public void revokeAll(final int slot) {
    pipeline.publish(
        new StepWork(Lane.Role.VALIDATE, () -> context.reading().grants().revokeAll(slot)));
  }

  /**
   * Makes the image's own file hold everything, once and for all.
   *
   * @param unpublished chunks of its writer that are not in the pipeline, in program order
   */
  public void makeDirect(final Image image, final int[] unpublished, final boolean emptied) {
    pipeline.publish(new DirectWork(context, image, unpublished, emptied));
  }

  private void change(final Image image, final Kind kind, final Fault.Step<IOException> step) {
    pipeline.publish(ImageWork.of(image, kind, step));
  }

  /** Makes the image's own file hold everything drained. */
  public void settle(final Image image) {
    change(
        image,
        Kind.SETTLE,
        () -> {
          context.sink().settle(image, List.of());
          settled(image);
        });
  }

  /**
   * Forgets the drained bytes of an image that was truncated to nothing, errors included.
   *
   * @param fileToo whether the drain may have written to its own file since
   */
  public void empty(final Image image, final boolean fileToo) {
    context.journal().write(new Entry.Emptying(image.id(), fileToo));
    resumeEmpty(image, fileToo);
  }

  /** Carries out an {@link #empty} of a former I/O process. */
  public void resumeEmpty(final Image image, final boolean fileToo) {
    change(
        image,
        Kind.EMPTY,
        () -> {
          image.recover();
          if (fileToo) {
            image.file().truncate(0);
          }
          context.restart(image, Cause.EMPTIED, image.log().drainsToFile(), 0, List.of());
        });
  }

  /** Begins to log an image again, over the bytes of its own file. */
  public void divert(final Image image) {
    change(
        image,
        Kind.DIVERT,
        () -> {
          final long size = image.held().status().size();
          final boolean toFile = layout.drainsToFiles();
          context.restart(image, Cause.DIVERTED, toFile, size, List.of());
          image.size(size);
        });
  }

  /** Corrects the size of an image whose writer died. */
  public void correctSize(final Image image) {
    change(image, Kind.SIZE, () -> image.size(image.drainedSize()));
  }

  /**
   * Brings the drained bytes of an image to stable storage.
   *
   * @param durable receiver of the time when that is done; called by the last stage
   */
  public void sync(final Image image, final LongConsumer durable) {
    pipeline.publish(new SyncWork(context, image, durable));
  }

  /** Begins to bring an image to stable storage, which its commit will wait for. */
  public void startSync(final Image image) {
    pipeline.publish(new EarlySyncWork(context, image));
  }

  /**
   * Brings the drained bytes of a closed image to stable storage, and counts how long that was
   * after its first byte.
   */
  public void sync(final Image image) {
    final long first = image.times().first();
    sync(image, now -> context.statistics().durable(first, now));
  }

  /**
   * Gives back chunks that a former I/O process had written, and those whose memory nobody makes
   * any more.
   *
   * @param drained generation of each such chunk
   */
  public void giveBack(final Map<Integer, Integer> drained) {
    final ChunkPool pool = context.segment().chunkPool();
    pool.takeBackMaking(ChunkStateDescriptor.NOBODY);
    drained.forEach(
        (chunk, generation) -> {
          final long word = pool.word(chunk);
          if (ChunkStateDescriptor.state(word) == ChunkStateDescriptor.PUBLISHED
              && ChunkStateDescriptor.generation(word) == generation) {
            pool.release(chunk, word);
          }
        });
  }

  /** Forgets the places of an image's bytes, since nobody will ask for them again. */
  public void release(final Image image) {
    change(image, Kind.RELEASE, () -> settled(image));
  }

  /**
   * Fails the images of which storage may have lost bytes, since a sync failed. Last stage only.
   */
  public void failLost(final IOException failure) {
    context.containers().failLost(failure);
  }

  /** Says that chunks from here on are of another checkpoint. Write stage only. */
  public void turn() {
    context.containers().turn();
  }

  /**
   * Closes the containers that no image needs any more, and makes the store ready for a commit.
   *
   * @param shortOfRoom whether their room is given back instead
   */
  public void tidy(final boolean shortOfRoom) {
    pipeline.publish(new TidyWork(context.containers(), shortOfRoom));
  }

  /** Answers from the write stage, once all earlier requests were written. */
  public void answer(final Caller caller, final Supplier<Reply> reply) {
    pipeline.publish(new StepWork(Lane.Role.WRITE, () -> caller.answer(reply.get())));
  }

  /** Runs an action on the last stage, once all earlier requests are done. */
  public void afterwards(final Runnable action) {
    pipeline.publish(new StepWork(Lane.Role.COMMIT, action));
  }

  /**
   * Runs an action on the last stage behind all earlier requests, when there is time: a checkpoint
   * comes first.
   */
  public void inSpareTime(final Runnable action) {
    pipeline.publish(new SpareWork(action));
  }

  /** Runs a step on the service thread once all earlier requests are done. */
  public void continueAfter(final Runnable step) {
    afterwards(() -> service.execute(step));
  }

  /** Returns the executor that runs steps on the service thread. Any thread. */
  public Executor service() {
    return service;
  }

  public void publish(final Work work) {
    pipeline.publish(work);
  }

  public int openContainers() {
    return context.containers().count();
  }

  private void settled(final Image image) {
    context.restart(
        image, Cause.SETTLED, image.log().drainsToFile(), image.log().size(), List.of());
  }

  /** Takes over the drained bytes of a former I/O process, before any other request. */
  public void resume(final Image image) throws IOException {
    image.log().resume(image.held().status().size());
    for (final ChunkLocation chunk : image.log().chunks()) {
      context.containers().resume(chunk.container(), image);
    }
  }

  /** Waits until everything is done, then ends the session's containers. */
  @Override
  public void close() throws IOException {
    pipeline.close();
    flight.close();
    if (!layout.drainsToFiles()) {
      context.containers().close();
    }
  }
}
