package org.sluice.core.client;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Control;
import org.sluice.bench.micro.BenchmarkSegment;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.Segment;

/**
 * Ring records from one thread, as a process publishes chunks, to another, as the I/O process. In
 * this package, since the producer's end is not seen from others.
 */
@State(Scope.Group)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class RingBenchmark {
  private final MessageHandler take = this::take;
  private Segment segment;
  private ChunkRing producer;
  private OneToOneRingBuffer consumer;
  private long sequence;
  private long taken;

  /** Called by JMH. */
  public RingBenchmark() {}

  /**
   * Makes the ring.
   *
   * @throws IOException when there is no room for it
   */
  @Setup
  public void open() throws IOException {
    segment = BenchmarkSegment.create(1, 1, 4096);
    producer = new ChunkRing(segment.ring(0));
    consumer = segment.ring(0);
  }

  /** Gives the ring back. */
  @TearDown
  public void close() {
    segment.close();
  }

  /**
   * Publishes one record, as soon as there is room.
   *
   * @param control ends the wait with the iteration
   */
  @Benchmark
  @Group("ring")
  public void publish(final Control control) {
    sequence++;
    while (!producer.offer(0, 4096, sequence, 1) && !control.stopMeasurement) {
      Thread.onSpinWait();
    }
  }

  /**
   * Takes one record, as soon as there is one.
   *
   * @param control ends the wait with the iteration
   * @return the sum of the sequences taken
   */
  @Benchmark
  @Group("ring")
  public long take(final Control control) {
    while (consumer.read(take, 1) == 0 && !control.stopMeasurement) {
      Thread.onSpinWait();
    }
    return taken;
  }

  private void take(
      final int type, final MutableDirectBuffer buffer, final int index, final int length) {
    taken += buffer.getLong(index + RingDescriptor.SEQUENCE_OFFSET);
  }
}
