package org.sluice.bench.micro;

import java.io.IOException;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.disk.WritesInFlight;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.node.PosixStore;

/**
 * The writing stage of the drain. Full chunks are checksummed and appended to a container, past the
 * page cache. The time is that of one chunk.
 */
@BenchmarkMode(Mode.SingleShotTime)
@Warmup(iterations = 3)
@Measurement(iterations = 10)
public class DrainBenchmark extends MicroBenchmark {
  private static final long SESSION = 1;
  private static final int CHUNKS = 128;

  /** The directory of the store: on the disk to be measured. Its parent must exist. */
  @Param("target/jmh-store")
  public String store;

  @Param({"1048576", "4194304"})
  public int bytes;

  private ChunkBuilder chunk;
  private final WritesInFlight flight = new WritesInFlight();
  private PosixStore posix;
  private Container container;

  @Setup
  public void open() throws IOException {
    chunk = new ChunkBuilder(bytes, SESSION);
    final byte[] payload = new byte[4096];
    for (long offset = 0; chunk.fits(payload.length); offset += payload.length) {
      chunk.write(1, offset, payload);
    }
    posix = PosixStore.create(Path.of(store));
  }

  @Setup(Level.Iteration)
  public void begin() throws IOException {
    container = posix.createContainer(SESSION, "node");
  }

  @TearDown(Level.Iteration)
  public void discard() throws IOException {
    container.close();
    posix.discard(container.id());
  }

  @TearDown
  public void close() throws IOException {
    posix.close();
  }

  /** Appends the chunk again and again. */
  @Benchmark
  @OperationsPerInvocation(CHUNKS)
  public ChunkLocation append() throws IOException {
    ChunkLocation location = null;
    for (int i = 0; i < CHUNKS; i++) {
      location = container.place(chunk.buffer(), chunk.used(), chunk.crc());
      container.write(flight);
    }
    return location;
  }
}
