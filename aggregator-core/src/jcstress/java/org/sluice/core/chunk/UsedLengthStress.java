package org.sluice.core.chunk;

import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;
import org.sluice.core.segment.Memory;

/**
 * The I/O process reads an open chunk while its owner, as {@code chunk.c}, begins a record and then
 * extends it.
 */
@JCStressTest
@Outcome(id = "0, true", expect = Expect.ACCEPTABLE, desc = "Nothing written yet.")
@Outcome(id = "3, true", expect = Expect.ACCEPTABLE, desc = "The first write.")
@Outcome(id = "8, true", expect = Expect.ACCEPTABLE, desc = "Both writes, as one record.")
@State
public class UsedLengthStress {
  private static final byte[] FIRST = {1, 2, 3};
  private static final byte[] SECOND = {4, 5, 6, 7, 8};

  private final UnsafeBuffer memory = Memory.of(128);
  private int used = ChunkDescriptor.HEADER_LENGTH;

  /** An empty chunk. */
  public UsedLengthStress() {
    memory.putInt(ChunkDescriptor.MAGIC_OFFSET, ChunkDescriptor.MAGIC);
    memory.putInt(ChunkDescriptor.VERSION_OFFSET, ChunkDescriptor.VERSION);
    memory.putLong(ChunkDescriptor.SESSION_ID_OFFSET, 1);
    memory.putInt(ChunkDescriptor.USED_OFFSET, used);
  }

  @Actor
  public void owner() {
    memory.putInt(used + RecordDescriptor.TYPE_OFFSET, RecordDescriptor.TYPE_WRITE);
    memory.putInt(used + RecordDescriptor.IMAGE_ID_OFFSET, 1);
    used += RecordDescriptor.HEADER_LENGTH;
    extend(FIRST);
    extend(SECOND);
  }

  private void extend(final byte[] payload) {
    final int length = ChunkDescriptor.HEADER_LENGTH + RecordDescriptor.LENGTH_OFFSET;
    memory.putBytes(used, payload);
    memory.putLongOpaque(length, memory.getLong(length) + payload.length);
    used += payload.length;
    memory.putIntRelease(ChunkDescriptor.USED_OFFSET, used);
  }

  @Actor
  public void reader(final IZ_Result result) {
    try {
      read(new ChunkReader().wrapOpen(memory, 1), result);
    } catch (final DamagedException | FormatVersionException e) {
      result.r1 = -1;
    }
  }

  private void read(final ChunkReader records, final IZ_Result result) throws DamagedException {
    result.r2 = true;
    while (records.next()) {
      result.r1 += (int) records.length();
      for (int i = 0; i < records.length(); i++) {
        result.r2 &= memory.getByte(records.payload() + i) == i + 1;
      }
    }
  }
}
