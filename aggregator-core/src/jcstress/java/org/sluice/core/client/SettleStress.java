package org.sluice.core.client;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.segment.Memory;

/**
 * A process appends and looks at the state of its image; the I/O process makes the image direct and
 * looks at the chunk. At least one sees the other.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both see.")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The writer settles.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The settle has the write.")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "The write is lost.")
@State
public class SettleStress {
  private static final int DIVERTED = 1;
  private static final int DIRECT = 2;

  private final UnsafeBuffer memory = Memory.of(128);
  private final UnsafeBuffer state = Memory.of(8);
  private final OpenChunk chunk = new OpenChunk(memory, 1, 1, 0, 0);

  /** A diverted image and an empty chunk. */
  public SettleStress() {
    state.putInt(0, DIVERTED);
  }

  @Actor
  public void writer(final ZZ_Result result) {
    chunk.write(1, 0, ByteBuffer.wrap(new byte[] {1}));
    VarHandle.fullFence();
    result.r1 = state.getIntVolatile(0) == DIRECT;
  }

  @Actor
  public void ioProcess(final ZZ_Result result) {
    state.putIntVolatile(0, DIRECT);
    VarHandle.fullFence();
    result.r2 =
        memory.getIntAcquire(ChunkDescriptor.USED_OFFSET) > ChunkDescriptor.HEADER_LENGTH;
  }
}
