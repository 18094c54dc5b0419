package org.sluice.bench.micro;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.infra.ThreadParams;
import org.sluice.core.segment.ChunkPool;
import org.sluice.core.segment.Claims;
import org.sluice.core.segment.Segment;

/**
 * A chunk's way through the pool, claimed, published and released, by threads that stand for the
 * processes of a node: each has a slot of its own and begins its search at the chunk it had last.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ChunkPoolBenchmark extends MicroBenchmark {
  private static final int SLOTS = 8;
  private static final int CHUNKS = 512;

  private Segment segment;
  private ChunkPool pool;

  /** Called by JMH. */
  public ChunkPoolBenchmark() {}

  /** A process of the node. */
  @State(Scope.Thread)
  public static class Owner {
    private int slot;
    private int chunk;

    /** Called by JMH. */
    public Owner() {}

    /**
     * Gives the thread a slot.
     *
     * @param threads its number among the threads
     */
    @Setup
    public void attach(final ThreadParams threads) {
      slot = threads.getThreadIndex();
    }
  }

  /**
   * Makes the pool.
   *
   * @throws IOException when there is no room for it
   */
  @Setup
  public void open() throws IOException {
    segment = BenchmarkSegment.create(SLOTS, CHUNKS, 4096);
    pool = segment.chunkPool();
  }

  /** Gives the pool back. */
  @TearDown
  public void close() {
    segment.close();
  }

  /**
   * One process alone.
   *
   * @param owner the process
   * @return the chunk
   */
  @Benchmark
  @Threads(1)
  public int by1(final Owner owner) {
    return cycle(owner);
  }

  /**
   * Two processes.
   *
   * @param owner the process
   * @return the chunk
   */
  @Benchmark
  @Threads(2)
  public int by2(final Owner owner) {
    return cycle(owner);
  }

  /**
   * Four processes.
   *
   * @param owner the process
   * @return the chunk
   */
  @Benchmark
  @Threads(4)
  public int by4(final Owner owner) {
    return cycle(owner);
  }

  /**
   * Eight processes.
   *
   * @param owner the process
   * @return the chunk
   */
  @Benchmark
  @Threads(8)
  public int by8(final Owner owner) {
    return cycle(owner);
  }

  private int cycle(final Owner owner) {
    owner.chunk = Claims.claim(pool, owner.slot, owner.chunk);
    Claims.publish(pool, owner.chunk);
    pool.release(owner.chunk, pool.word(owner.chunk));
    return owner.chunk;
  }
}
