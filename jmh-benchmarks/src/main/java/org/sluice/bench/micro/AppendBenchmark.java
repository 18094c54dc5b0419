package org.sluice.bench.micro;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.sluice.client.CheckpointClient;
import org.sluice.client.ImageChannel;
import org.sluice.core.request.StandInIoProcess;
import org.sluice.core.segment.ChunkPool;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.TestSegments;
import org.sluice.profile.replay.Scratch;

/**
 * A write of the Java client into the log, the claiming and publishing of chunks included. The same
 * thread plays the drain. The drain stays so far behind that the next chunk is not in the caches of
 * a core.
 */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AppendBenchmark extends MicroBenchmark {
  private static final int CHUNK_LENGTH = 1 << 20;
  private static final int BEHIND = 60;

  @Param({"16", "64", "256", "4096", "65536", "1048576"})
  public int bytes;

  /** True if the bytes are outside the heap. */
  @Param({"true", "false"})
  public boolean direct;

  /**
   * True if a write continues the one before, so that its record is extended; else it skips a byte.
   */
  @Param({"true", "false"})
  public boolean continues;

  private final MessageHandler release = this::release;
  private Path directory;
  private StandInIoProcess ioProcess;
  private CheckpointClient client;
  private ImageChannel image;
  private ByteBuffer source;
  private int left = CHUNK_LENGTH;

  /** Makes an I/O process that leaves the rings alone. */
  @Setup
  public void open() throws IOException {
    directory = Files.createTempDirectory(Path.of("/dev/shm"), "sluice-jmh");
    ioProcess =
        new StandInIoProcess(
            directory,
            Layout.CONTAINER,
            1L << 40,
            HeaderDescriptor.WHEN_FULL_WAIT,
            BEHIND + 4,
            CHUNK_LENGTH);
    ioProcess.segment.header().sleeping(HeaderDescriptor.AWAKE);
    client = CheckpointClient.connect(directory, 0, 1);
    image = client.begin(1).image("state");
    source = direct ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
  }

  @TearDown
  public void close() throws IOException {
    client.close();
    ioProcess.close();
    Scratch.delete(directory);
  }

  @Benchmark
  public int append() throws IOException {
    left -= bytes;
    if (left <= 0) {
      left += CHUNK_LENGTH;
      drain();
    }
    if (!continues) {
      image.position(image.position() + 1);
    }
    return image.write(source.rewind());
  }

  private void drain() {
    final OneToOneRingBuffer ring = TestSegments.ring(ioProcess.segment, 0);
    while (ring.size() > BEHIND * RingDescriptor.RECORD_LENGTH) {
      ring.read(release, 1);
    }
  }

  private void release(
      final int type, final MutableDirectBuffer buffer, final int index, final int length) {
    final int chunk = buffer.getInt(index + RingDescriptor.CHUNK_OFFSET);
    final ChunkPool pool = ioProcess.segment.chunkPool();
    pool.release(chunk, pool.word(chunk));
  }
}
