package org.sluice.core.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.sluice.bench.micro.BenchmarkSegment;
import org.sluice.core.segment.ChunkPool;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.Segment;

/**
 * A write of the Java client into the log, the claiming and publishing of chunks included. The
 * drain is played by the doorbell, on the same thread, and stays so far behind that the next chunk
 * is not in the caches of a core. In this package, since the log is not seen from others.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class AppendBenchmark {
  private static final int CHUNK_LENGTH = 1 << 20;
  private static final int BEHIND = 62;

  /** Bytes of a write. */
  @Param({"16", "256", "4096", "65536", "1048576"})
  public int bytes;

  /** Whether a write continues the one before, so that its record is extended, or skips a byte. */
  @Param({"true", "false"})
  public boolean continues;

  private final MessageHandler release = this::release;
  private Segment segment;
  private ChunkPool pool;
  private OneToOneRingBuffer ring;
  private ChunkWriter writer;
  private ByteBuffer source;
  private long offset;

  /** Called by JMH. */
  public AppendBenchmark() {}

  /**
   * Makes a segment whose I/O process seems to sleep.
   *
   * @throws IOException when there is no room for it
   */
  @Setup
  public void open() throws IOException {
    segment = BenchmarkSegment.create(1, BEHIND + 2, CHUNK_LENGTH);
    pool = segment.chunkPool();
    ring = segment.ring(0);
    segment.header().sleeping(true);
    segment.slot(0).attach(ProcessIdentity.current(), 0, 1, 1);
    writer = new ChunkWriter(segment, 0, 0, this::drain, Duration.ofSeconds(1));
    source = ByteBuffer.allocateDirect(bytes);
  }

  /** Gives the segment back. */
  @TearDown
  public void close() {
    segment.close();
  }

  /**
   * One write.
   *
   * @return whether it found a chunk
   * @throws IOException never
   */
  @Benchmark
  public boolean append() throws IOException {
    final boolean complete = writer.write(1, offset, source.rewind());
    offset += continues ? bytes : bytes + 1;
    if (!complete) {
      throw new IllegalStateException("no chunk is free");
    }
    return complete;
  }

  private void drain() {
    while (ring.size() > BEHIND * RingDescriptor.RECORD_LENGTH) {
      ring.read(release, 1);
    }
  }

  private void release(
      final int type, final MutableDirectBuffer buffer, final int index, final int length) {
    final int chunk = buffer.getInt(index + RingDescriptor.CHUNK_OFFSET);
    pool.release(chunk, pool.word(chunk));
  }
}
