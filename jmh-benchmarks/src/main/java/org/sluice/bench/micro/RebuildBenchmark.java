package org.sluice.bench.micro;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.model.ImageTarget;
import org.sluice.core.store.node.ImageOverlay;

/**
 * The rebuilding of an image of 16 MiB from the records in its chunks, newest first, as a restart
 * and a settling do.
 */
public class RebuildBenchmark extends MicroBenchmark {
  private static final long SESSION = 1;
  private static final int IMAGE = 1;
  private static final int IMAGE_LENGTH = 16 << 20;
  private static final int CHUNK_LENGTH = 1 << 20;

  /** The bytes of a record's payload. */
  @Param({"4096", "65536"})
  public int bytes;

  /**
   * True if the records lie at random offsets and so over each other; else side by side in order.
   */
  @Param({"false", "true"})
  public boolean overlapping;

  /** The builders, which own the memory of the chunks. */
  private final List<ChunkBuilder> builders = new ArrayList<>();

  private final List<ChunkReader> chunks = new ArrayList<>();
  private NativeFile file;
  private long written;

  /** Logs as many bytes as the image has. */
  @Setup
  public void log() throws IOException {
    final SplittableRandom random = new SplittableRandom(42);
    final byte[] payload = new byte[bytes];
    ChunkBuilder chunk = null;
    for (int offset = 0; offset < IMAGE_LENGTH; offset += bytes) {
      if (chunk == null || !chunk.fits(bytes)) {
        chunk = new ChunkBuilder(CHUNK_LENGTH, SESSION);
        builders.add(chunk);
      }
      chunk.write(IMAGE, overlapping ? random.nextInt(IMAGE_LENGTH - bytes) : offset, payload);
    }
    for (final ChunkBuilder full : builders) {
      chunks.add(new ChunkReader().wrap(full.buffer(), full.used(), SESSION));
    }
    final Path path = Files.createTempFile("sluice-jmh", "");
    file = NativeFile.open(path, Flag.WRITE);
    Files.delete(path);
  }

  @TearDown
  public void close() throws IOException {
    file.close();
  }

  /** Finds the bytes of each record that count, and writes nothing. */
  @Benchmark
  public long decide() throws IOException {
    written = 0;
    overlay((address, length, offset) -> written += length);
    return written;
  }

  /** Writes the bytes that count to a file in the page cache. */
  @Benchmark
  public void rebuild() throws IOException {
    overlay(file::pwrite);
  }

  private void overlay(final ImageTarget target) throws IOException {
    final ImageOverlay overlay = new ImageOverlay(IMAGE, IMAGE_LENGTH, target);
    for (final ChunkReader chunk : chunks.reversed()) {
      overlay.addOlder(chunk);
    }
  }
}
