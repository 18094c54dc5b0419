package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.LongStream;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartsCheck;
import org.sluice.core.store.series.SeriesRun;

/** A node of a run that is the first of its series. */
interface ScaleNode {
  void put(long number, RankSet ranks) throws IOException;

  boolean commit(long number, int ranks) throws IOException;

  boolean isCommitted(long number, int ranks) throws IOException;

  void remove(long number) throws IOException;

  private static List<ByteBuffer> part() {
    return List.of(ByteBuffer.allocate(1));
  }

  private static String entry(final long sequence) {
    return "log/%010d".formatted(sequence);
  }

  /** One that does what a node does. */
  static ScaleNode real(final SeriesRun run) {
    return new ScaleNode() {
      private RankSet mine;

      private PartKey key(final long number) {
        return run.part(number, 0, 0, mine);
      }

      @Override
      public void put(final long number, final RankSet ranks) throws IOException {
        mine = ranks;
        run.put(key(number), part());
      }

      @Override
      public boolean commit(final long number, final int ranks) throws IOException {
        return run.commit(key(number), run.parts(key(number)), ranks, PartsCheck.NONE).isEmpty();
      }

      @Override
      public boolean isCommitted(final long number, final int ranks) throws IOException {
        return run.isCommitted(key(number), ranks);
      }

      @Override
      public void remove(final long number) throws IOException {
        run.remove(number, 0);
      }
    };
  }

  /**
   * One that sends the same requests, and does not read all of the answers. Never that of rank 0.
   */
  static ScaleNode light(final ScaleEngine engine, final String node) {
    return new ScaleNode() {
      private long next = 2; // behind the begin
      private long committed = -1;
      private long removed = -1;

      @Override
      public void put(final long number, final RankSet ranks) {
        engine.put(new PartKey(number, 1, 0, node, 0, ranks).toString(), part());
      }

      @Override
      public boolean commit(final long number, final int ranks) {
        engine.list(PartKey.folder(number, 1, 0));
        return isCommitted(number, ranks);
      }

      @Override
      public boolean isCommitted(final long number, final int ranks) {
        final long before = next;
        while (committed < number && read()) {}
        return isSo(committed >= number, before);
      }

      @Override
      public void remove(final long number) {
        final long before = next;
        while (removed < number) {
          read(); // a node that is there so soon appends it, with as many requests
        }
        isSo(true, before);
      }

      private boolean isSo(final boolean is, final long before) {
        if (is) {
          engine.makeDurable(LongStream.range(before, next).mapToObj(ScaleNode::entry).toList());
        }
        return is;
      }

      /** Reads an entry: they come in turn, but for the first two checkpoints. */
      private boolean read() {
        final byte[] entry = engine.look(entry(next));
        if (entry == null) {
          return false;
        }
        if (new String(entry, 0, 200, StandardCharsets.UTF_8).contains("\"remove\"")) {
          removed++;
        } else {
          committed++;
        }
        next++;
        return true;
      }
    };
  }
}
