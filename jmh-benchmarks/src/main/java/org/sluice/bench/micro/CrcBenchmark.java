package org.sluice.bench.micro;

import java.util.concurrent.TimeUnit;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
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
import org.openjdk.jmh.annotations.Warmup;
import org.sluice.core.chunk.Crc32c;

/** The checksum over memory outside the heap, as the drain takes it of each chunk. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CrcBenchmark {
  /** Bytes under one checksum. */
  @Param({"4096", "65536", "1048576", "4194304"})
  public int bytes;

  private UnsafeBuffer memory;

  /** Called by JMH. */
  public CrcBenchmark() {}

  /** Touches the memory once. */
  @Setup
  public void fill() {
    memory = new UnsafeBuffer(BufferUtil.allocateDirectAligned(bytes, 4096));
    memory.setMemory(0, bytes, (byte) 7);
  }

  /**
   * Checksums the memory.
   *
   * @return the crc
   */
  @Benchmark
  public int crc() {
    return Crc32c.of(memory.addressOffset(), bytes);
  }
}
