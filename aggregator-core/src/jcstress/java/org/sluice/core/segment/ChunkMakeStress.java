package org.sluice.core.segment;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIIJ_Result;

/** A process makes the memory of the only chunk, another claims it, and the I/O process makes it. */
@JCStressTest
@Outcome(id = "1, -1, 1, 0", expect = Expect.ACCEPTABLE, desc = "The maker has it.")
@Outcome(id = "0, -1, 0, 1", expect = Expect.ACCEPTABLE, desc = "It is free.")
@Outcome(id = "0, 0, 2, 0", expect = Expect.ACCEPTABLE, desc = "The other has it.")
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
  public void make(final IIIJ_Result result) {
    if (Claims.make(pool, 1, 0) != 0) {
      result.r1 = 1;
      Claims.made(pool, 0);
    }
  }

  @Actor
  public void claim(final IIIJ_Result result) {
    result.r2 = Claims.claim(pool, 2, 0);
  }

  @Actor
  public void provide() {
    pool.provide(0);
  }

  @Arbiter
  public void look(final IIIJ_Result result) {
    result.r3 = ChunkStateDescriptor.slot(pool.word(0));
    result.r4 = header.unusedChunks();
  }
}
