package org.sluice.iop.wave.protocol;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The calls that a program makes of a rank's layer, each at most once per step. A blocking call is
 * its non-blocking one and a wait.
 */
interface Layer {
  /** Which requests a call waits for. */
  enum Wait {
    /** Test, testsome: perhaps none. */
    TEST,
    /** Waitany. */
    ANY,
    /** Waitsome. */
    SOME,
    /** Wait, waitall. */
    ALL
  }

  int isend(Stream stream, Payload payload);

  int irecv(Pattern pattern);

  int collective(long communicator, Flow flow, int root, long value);

  /** The program has a communicator no longer, and others may still be within its collectives. */
  void free(long communicator);

  /** The complete ones with what they brought; null while the call blocks. */
  Map<Integer, Object> complete(List<Integer> requests, Wait how);

  Optional<Stream> iprobe(Pattern pattern);

  /** A potential checkpoint of a program, whose state is copied if it becomes one. */
  void spot(Program program);
}
