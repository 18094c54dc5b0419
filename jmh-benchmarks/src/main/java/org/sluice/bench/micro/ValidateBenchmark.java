package org.sluice.bench.micro;

import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.chunk.ChunkReader;

/** The first stage of the drain: every record of a full chunk is read and checked. */
public class ValidateBenchmark extends MicroBenchmark {
  private static final long SESSION = 1;
  private static final int CHUNK_LENGTH = 1 << 20;

  /** The bytes of a record's payload. */
  @Param({"64", "4096", "65536"})
  public int bytes;

  private final ChunkReader reader = new ChunkReader();
  private ChunkBuilder chunk;

  @Setup
  public void fill() {
    chunk = new ChunkBuilder(CHUNK_LENGTH, SESSION);
    final byte[] payload = new byte[bytes];
    for (long offset = 0; chunk.fits(bytes); offset += bytes) {
      chunk.write(1, offset, payload);
    }
  }

  @Benchmark
  public long validate() throws IOException {
    reader.wrap(chunk.buffer(), chunk.used(), SESSION);
    long length = 0;
    while (reader.next()) {
      length += reader.length();
    }
    return length;
  }
}
