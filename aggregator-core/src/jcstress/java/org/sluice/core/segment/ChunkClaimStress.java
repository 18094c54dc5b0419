package org.sluice.core.segment;

import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;

/** Two processes claim the only chunk. */
@JCStressTest
@Outcome(id = "0, -1, 0", expect = Expect.ACCEPTABLE, desc = "The first has it.")
@Outcome(id = "-1, 0, 0", expect = Expect.ACCEPTABLE, desc = "The second has it.")
@State
public class ChunkClaimStress {
  private final Header header = new Header(Memory.of(512));
  private final ChunkPool pool =
      new ChunkPool(Memory.of(ChunkStateDescriptor.LENGTH), header, null);

  /** Creates a pool with a free chunk. */
  public ChunkClaimStress() {
    header.addFreeChunks(1);
  }

  @Actor
  public void first(final IIJ_Result result) {
    result.r1 = Claims.claim(pool, 1, 0);
  }

  @Actor
  public void second(final IIJ_Result result) {
    result.r2 = Claims.claim(pool, 2, 0);
  }

  @Arbiter
  public void count(final IIJ_Result result) {
    result.r3 = header.freeChunks();
  }
}
