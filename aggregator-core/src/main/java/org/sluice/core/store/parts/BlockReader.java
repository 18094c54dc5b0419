package org.sluice.core.store.parts;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.NoObjectException;
import org.sluice.core.store.objects.Upload;

/**
 * A reader of a part's blocks from its objects, which verifies them. Adjacent blocks are requested
 * together, up to 8 MiB, and several such ranges at a time: one connection carries a fraction of a
 * server's bandwidth. Not thread-safe; each range in flight has memory of its own until it is
 * taken.
 */
final class BlockReader implements AutoCloseable {
  private final Engine engine;
  private final ObjectStream objects;
  private final int most;
  private final Arena arena = Arena.ofShared();
  private final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
  private final Deque<Range> flying = new ArrayDeque<>();
  private final Deque<MemorySegment> free = new ArrayDeque<>();

  /** A receiver of blocks in their order. */
  interface Sink {
    void take(Block block, long address) throws IOException;

    void damaged(DamagedException damage) throws IOException;
  }

  private record Range(
      long position, List<Block> blocks, int length, MemorySegment memory, Future<?> request) {}

  BlockReader(final Engine engine, final ObjectStream objects, final int most) {
    this.engine = engine;
    this.objects = objects;
    this.most = most;
  }

  /** Reads blocks, the first of which is at a position in the part. */
  void read(final long position, final List<Block> blocks, final Sink sink) throws IOException {
    long at = position;
    for (int next = 0; next < blocks.size() || !flying.isEmpty(); ) {
      if (next < blocks.size() && flying.size() < most) {
        final Range range = begin(at, blocks.subList(next, blocks.size()));
        flying.add(range);
        at += range.length();
        next += range.blocks().size();
      } else {
        take(flying.removeFirst(), sink);
      }
    }
  }

  private Range begin(final long position, final List<Block> blocks) {
    int count = 0;
    int length = 0;
    while (count < blocks.size() && length + blocks.get(count).length() <= Upload.PIECE) {
      length += blocks.get(count).length();
      count++;
    }
    final MemorySegment memory =
        free.isEmpty() ? arena.allocate(Upload.PIECE, Block.MAX_LENGTH) : free.removeFirst();
    final ByteBuffer into = memory.asByteBuffer().limit(length);
    return new Range(
        position,
        blocks.subList(0, count),
        length,
        memory,
        requests.submit(
            () -> {
              fetch(position, into);
              return null;
            }));
  }

  private void fetch(final long position, final ByteBuffer into) throws IOException {
    final int end = into.limit();
    for (long at = position; into.position() < end; at = position + into.position()) {
      final int wanted = (int) objects.within(at, end - into.position());
      final ByteBuffer part = into.slice(into.position(), wanted);
      try {
        engine.get(objects.key(at), objects.offset(at), part);
      } catch (final NoObjectException missing) {
        throw damaged(at, "the object is missing");
      }
      if (part.hasRemaining()) {
        throw damaged(at + part.position(), "it is truncated");
      }
      into.position(into.position() + wanted);
    }
  }

  private void take(final Range range, final Sink sink) throws IOException {
    try {
      await(range.request());
      long at = 0;
      for (final Block block : range.blocks()) {
        final long address = range.memory().address() + at;
        if (Crc32c.of(address, block.length()) == block.crc()) {
          sink.take(block, address);
        } else {
          sink.damaged(
              damaged(
                  range.position() + at,
                  "the crc of a block of %d bytes does not match".formatted(block.length())));
        }
        at += block.length();
      }
    } catch (final MissingException e) {
      sink.damaged(e.damage);
    }
    free.add(range.memory());
  }

  private static final class MissingException extends IOException {
    private static final long serialVersionUID = 1L;
    private final transient DamagedException damage;

    MissingException(final DamagedException damage) {
      super(damage);
      this.damage = damage;
    }
  }

  private static void await(final Future<?> request) throws IOException {
    try {
      request.get();
    } catch (final ExecutionException e) {
      switch (e.getCause()) {
        case DamagedException damage -> throw new MissingException(damage);
        case IOException failure -> throw failure;
        default -> throw new IllegalStateException(e.getCause());
      }
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the reading was interrupted", e);
    }
  }

  private DamagedException damaged(final long position, final String why) {
    return new DamagedException(
        engine + "/" + objects.key(position), objects.offset(position), why);
  }

  /** Closes the reader. No request may write into freed memory, so all requests end first. */
  @Override
  public void close() {
    requests.shutdownNow();
    requests.close();
    arena.close();
  }
}
