package org.sluice.core.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.bytes.Bytes;
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

/**
 * The index of a checkpoint, as a commit builds it in memory. In this package, since the format is
 * not seen from others.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class IndexBenchmark {
  private static final int FEW = 8;

  /** How many of what there are many of. */
  @Param({"1000", "30000", "1000000"})
  public int count;

  /** Whether there are many chunks of a few images, or many images of one chunk each. */
  @Param({"chunks", "images"})
  public String many;

  private List<CommittedImage> images;

  /** Called by JMH. */
  public IndexBenchmark() {}

  /** Makes the images. */
  @Setup
  public void list() {
    final int imageCount = many.equals("images") ? count : FEW;
    images = new ArrayList<>(imageCount);
    for (int i = 0; i < imageCount; i++) {
      final List<ChunkLocation> chunks = new ArrayList<>(count / imageCount);
      for (int j = i; j < count; j += imageCount) {
        chunks.add(new ChunkLocation(1, ContainerDescriptor.BLOCK_LENGTH * (1L + j), 4096, j));
      }
      images.add(
          new CommittedImage(
              i, "ckpt-1/rank-" + i, i, imageCount, 0640, 4096, i + 1, chunks, List.of()));
    }
  }

  /**
   * Builds the index.
   *
   * @return its length in bytes
   */
  @Benchmark
  public long build() {
    final Bytes<Void> index = IndexCodec.encode(1, images);
    final long length = index.readRemaining();
    index.releaseLast();
    return length;
  }
}
