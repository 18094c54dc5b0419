package org.sluice.core.client;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIB_Result;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.segment.Memory;
import org.sluice.core.segment.RingDescriptor;

/** A process publishes a chunk while the I/O process polls the ring. */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Nothing polled.")
@Outcome(id = "89, 89, 42", expect = Expect.ACCEPTABLE, desc = "The chunk and all its bytes.")
@State
public class PublishStress {
  private static final int PAYLOAD = 88;

  private final UnsafeBuffer memory = Memory.of(128);
  private final OpenChunk chunk = new OpenChunk(memory, 1, 1, 0, 0);
  private final OneToOneRingBuffer ring =
      new OneToOneRingBuffer(
          Memory.of(8 * RingDescriptor.RECORD_LENGTH + RingBufferDescriptor.TRAILER_LENGTH));
  private final ChunkRing producer = new ChunkRing(ring);

  @Actor
  public void owner() {
    chunk.write(1, 0, ByteBuffer.wrap(new byte[] {42}));
    producer.offer(0, chunk.used(), chunk.sequence(), 0);
  }

  @Actor
  public void ioProcess(final IIB_Result result) {
    ring.read(
        (type, buffer, index, length) -> {
          result.r1 = buffer.getInt(index + RingDescriptor.USED_OFFSET);
          result.r2 = memory.getInt(ChunkDescriptor.USED_OFFSET);
          result.r3 = memory.getByte(PAYLOAD);
        });
  }
}
