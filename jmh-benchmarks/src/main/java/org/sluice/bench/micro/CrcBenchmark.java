package org.sluice.bench.micro;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.sluice.core.chunk.Crc32c;

/** The checksum over memory outside the heap, as the drain takes it of each chunk. */
public class CrcBenchmark extends MicroBenchmark {
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
