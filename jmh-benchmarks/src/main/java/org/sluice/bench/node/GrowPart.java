package org.sluice.bench.node;

import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import org.sluice.profile.workload.Workload;
import org.sluice.profile.workload.WritePattern;

/** What grows while everything else stays. */
enum GrowPart {
  /** Processes, which share the bytes of one checkpoint. */
  RANKS("ranks", LongStream.of(1, 2, 4, 8, 16, 32, 64, 128)) {
    @Override
    int ranks(final long work) {
      return (int) work;
    }

    @Override
    WritePattern pattern(final long work) {
      return WritePattern.of(Workload.LU).repeated((SHARED_MEBIBYTES << 20) / work);
    }

    @Override
    List<Target> targets() {
      return List.of(
          Target.POSIX_FRESH, Target.MEMCPY_FLOOR, Target.ODIRECT_FLOOR, Target.CONTAINER_AUTO);
    }
  },

  /** MiB of one checkpoint, while the buffer stays. */
  BYTES("MiB", LongStream.of(16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)) {
    @Override
    WritePattern pattern(final long work) {
      return WritePattern.of(Workload.LU).repeated((work << 20) / RANKS_OF_A_NODE);
    }

    @Override
    List<Target> targets() {
      return List.of(Target.ODIRECT_FLOOR, Target.CONTAINER_AUTO);
    }
  },

  /** Millions of records that a container gets. */
  RECORDS("million records", LongStream.of(1, 2, 4, 8, 10)) {
    @Override
    WritePattern pattern(final long work) {
      return WritePattern.scattered((int) (work * MILLION / RANKS_OF_A_NODE), RECORD_LENGTH);
    }

    @Override
    List<Target> targets() {
      return List.of(Target.POSIX_FRESH, Target.CONTAINER_AUTO);
    }
  };

  private static final int RANKS_OF_A_NODE = 8;
  private static final long MILLION = 1_000_000;
  private static final long SHARED_MEBIBYTES = 256;
  private static final int RECORD_LENGTH = 64;

  private final String unit;
  private final List<Long> works;

  GrowPart(final String unit, final LongStream works) {
    this.unit = unit;
    this.works = works.boxed().toList();
  }

  /** What the work is counted in. */
  String unit() {
    return unit;
  }

  /** As users write it. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** All works, or the smallest and one in the middle. */
  List<Long> works(final boolean quick) {
    return quick ? List.of(works.getFirst(), works.get(works.size() / 2)) : works;
  }

  /** How many processes write so much. */
  int ranks(final long work) {
    return RANKS_OF_A_NODE;
  }

  /** What each of them writes. */
  abstract WritePattern pattern(long work);

  /** What writes it. */
  abstract List<Target> targets();
}
