package org.sluice.iop.wave.protocol;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * A checkpoint of an MPI job by one protocol, as its coordinator leads it. The wave hears the
 * messages of ranks until it is committed or given up, and decides what comes next; it does no I/O.
 * Service thread only.
 */
public interface Wave {
  /**
   * Hears a message of a rank.
   *
   * @param kind a number of {@link Control}, or of the protocol itself
   * @return what the coordinator is to do, in this order; empty for nothing
   * @throws IllegalArgumentException when the protocol has no such message
   * @throws java.nio.BufferUnderflowException when the message ends too early
   */
  List<Order> hear(int kind, int rank, ByteBuffer bytes);

  /**
   * Returns a line for the user about what the wave waits for, which names ranks; empty when only
   * images are missing.
   */
  String waiting();

  /** Returns the bytes of the ranks' messages that the wave keeps. */
  default long kept() {
    return 0;
  }

  /**
   * Returns the verdict on the protocol, once all images are complete or the wave gave itself up;
   * empty when it tells nothing.
   */
  default Optional<Verdict> verdict() {
    return Optional.empty();
  }
}
