package org.sluice.bench.micro;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
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
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.Segment;

/** Ring records from one thread, as a process publishes chunks, to another, as the I/O process. */
@State(Scope.Group)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class RingBenchmark {
  private final MessageHandler take = this::take;
  private Segment segment;
  private OneToOneRingBuffer ring;
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
    ring = segment.ring(0);
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
    while (!offer() && !control.stopMeasurement) {
      Thread.onSpinWait();
    }
  }

  private boolean offer() {
    final int record = ring.tryClaim(RingDescriptor.TYPE_CHUNK, RingDescriptor.BODY_LENGTH);
    if (record == RingBuffer.INSUFFICIENT_CAPACITY) {
      return false;
    }
    ring.buffer().putLong(record + RingDescriptor.SEQUENCE_OFFSET, sequence);
    ring.commit(record);
    return true;
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
    while (ring.read(take, 1) == 0 && !control.stopMeasurement) {
      Thread.onSpinWait();
    }
    return taken;
  }

  private void take(
      final int type, final MutableDirectBuffer buffer, final int index, final int length) {
    taken += buffer.getLong(index + RingDescriptor.SEQUENCE_OFFSET);
  }
}
