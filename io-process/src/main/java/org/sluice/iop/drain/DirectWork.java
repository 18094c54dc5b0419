package org.sluice.iop.drain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Cause;
import org.sluice.iop.journal.Entry;

/**
 * The work that makes an image direct without its writer's help. The image's own file gets the
 * drained bytes and those of the writer's unpublished chunks. The state was stored before these
 * chunks are looked at here, so whatever is appended later makes its writer settle again.
 *
 * <p>An unpublished chunk is drained some day like any other. The part of it that was applied here
 * is remembered, so that it is not applied once more over later writes of others.
 */
final class DirectWork extends ImageWork {
  /**
   * The longest wait for a process that is stopped between two instructions, or was killed there.
   */
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  private final DrainContext context;
  private final int[] unpublished;
  private final List<Integer> openers;
  private final boolean emptied;

  /** True when no process has it open, and so may change it from here on. */
  private final boolean closed;

  private final List<ChunkSink.Peek> peeks = new ArrayList<>();

  /**
   * @param unpublished the writer's chunks that are not in the pipeline yet, in program order
   * @param emptied whether the image was truncated to nothing, so that its bytes do not count
   */
  DirectWork(
      final DrainContext context,
      final Image image,
      final int[] unpublished,
      final boolean emptied) {
    super(image, Kind.DIRECT);
    this.context = context;
    this.unpublished = unpublished;
    this.openers = List.copyOf(image.granted());
    this.emptied = emptied;
    this.closed = image.openers().isEmpty();
  }

  @Override
  public void write() throws IOException {
    for (final int chunk : unpublished) {
      look(chunk);
    }
    if (emptied) {
      image.recover();
      image.file().truncate(0);
    } else {
      context.sink().settle(image, peeks);
    }
    if (emptied || !closed) {
      image.log().drained().overwritten(0, Long.MAX_VALUE);
    }
    awaitLength();
    restart(image.file().size());
  }

  /**
   * Waits for processes that are giving the file its length. Such a process closes the image, and
   * may do so over the writes of processes that open it from here on. The process stores the
   * image's id, fences, and then looks at the state, which was stored before: one of the two sees
   * the other.
   */
  private void awaitLength() {
    final long begin = System.nanoTime();
    for (final int slot : openers) {
      while (context.segment().slot(slot).lengthening() == image.id()
          && System.nanoTime() - begin < LONGEST_NANOS) {
        LockSupport.parkNanos(NAP_NANOS);
      }
    }
  }

  /**
   * Restarts the log. From here on extents go to the file, also those of an image that has lost
   * bytes.
   */
  private void restart(final long size) {
    context.restart(
        image,
        Cause.DIRECT,
        true,
        size,
        peeks.stream()
            .map(peek -> new Entry.Mark(peek.index(), peek.generation(), peek.end()))
            .toList());
    image.settled();
  }

  private void look(final int chunk) throws IOException {
    final UnsafeBuffer memory = context.segment().chunk(chunk);
    if (memory.getIntVolatile(ChunkDescriptor.USED_OFFSET) == 0) {
      return;
    }
    final ChunkReader reader = new ChunkReader();
    reader.wrapOpen(memory, context.reading().sessionId());
    int end = 0;
    while (reader.next()) {
      final boolean payload = reader.type() == RecordDescriptor.TYPE_WRITE;
      end = reader.payload() + (payload ? (int) reader.length() : 0);
      if (reader.imageId() == image.id()) {
        image.log().follow(reader.type(), reader.offset(), reader.length());
      }
    }
    final long word = context.segment().chunkPool().word(chunk);
    peeks.add(
        new ChunkSink.Peek(reader, memory, chunk, ChunkStateDescriptor.generation(word), end));
  }

  @Override
  public void fail(final IOException failure) {
    image.fail(failure);
    restart(image.log().size());
  }
}
