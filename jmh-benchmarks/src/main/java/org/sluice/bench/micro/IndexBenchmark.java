package org.sluice.bench.micro;

import java.util.ArrayList;
import java.util.List;
import net.openhft.chronicle.bytes.Bytes;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.sluice.core.store.format.IndexCodec;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.CommittedImage;

/** The index of a checkpoint, as a commit builds it in memory. */
public class IndexBenchmark extends MicroBenchmark {
  private static final int FEW = 8;
  private static final int BLOCK_LENGTH = 4096;

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
        chunks.add(new ChunkLocation(1, BLOCK_LENGTH * (1L + j), BLOCK_LENGTH, j));
      }
      images.add(
          new CommittedImage(
              i, "ckpt-1/rank-" + i, i, imageCount, 0640, 4096, i + 1, chunks, List.of(), null));
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
