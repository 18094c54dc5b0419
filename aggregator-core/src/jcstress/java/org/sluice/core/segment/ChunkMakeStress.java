package org.sluice.core.segment;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;

/** A process and the I/O process make the memory of the only chunk. */
@JCStressTest
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "The process has it.")
@Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "It is free.")
@State
public class ChunkMakeStress {
  private final Header header = new Header(Memory.of(512));
  private final ChunkPool pool =
      new ChunkPool(Memory.of(ChunkStateDescriptor.LENGTH), header, null);

  /** Creates a pool whose chunk has no memory. */
  public ChunkMakeStress() {
    pool.init();
    header.addAbsentChunks(1);
  }

  @Actor
  public void make(final IIJ_Result result) {
    final long making = Claims.make(pool, 1, 0);
    if (making != 0) {
      result.r1 = 1;
      Claims.made(pool, 0, making);
    }
  }

  @Actor
  public void provide() {
    pool.provide(0);
  }

  @Arbiter
  public void look(final IIJ_Result result) {
    result.r2 = ChunkStateDescriptor.slot(pool.word(0));
    result.r3 = header.unusedChunks();
  }
}
