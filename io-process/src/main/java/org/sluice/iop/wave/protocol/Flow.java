package org.sluice.iop.wave.protocol;

/**
 * The members from which a member's result of a collective has data. Only these must have entered
 * the collective before it can end there. {@code scripts/generate} writes the C of it. The root of
 * a broadcast may be far ahead of the others.
 */
public enum Flow {
  /** Barrier, allreduce, allgather, alltoall and their like. */
  ALL,
  /** Broadcast and scatter. */
  FROM_ROOT,
  /** Reduce and gather. */
  TO_ROOT,
  /** Scan: from this member and those before it. */
  FROM_BELOW;

  /** Returns whether a member's result has data of another one. */
  public boolean needs(final int source, final int member, final int root) {
    return switch (this) {
      case ALL -> true;
      case FROM_ROOT -> source == root;
      case TO_ROOT -> member == root;
      case FROM_BELOW -> source <= member;
    };
  }
}
