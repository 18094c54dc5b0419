package org.sluice.iop.wave.protocol;

/** A step of a program. What is open depends on the state that the program is in. */
record Operation(Kind kind, long communicator, int peer, int tag, Flow flow) {
  /** What kinds of steps there are. */
  enum Kind {
    SPOT,
    /** Sends to a peer. */
    SEND,
    /**
     * Sends to a peer whose receive may take another message first, and so does not wait until it
     * is received.
     */
    SEND_BUFFERED,
    /** Posts a receive that a later step waits for. */
    POST,
    /** Posts a receive that the next round waits for. */
    POST_AHEAD,
    ENTER,
    ENTER_AHEAD,
    /** Has a communicator no longer. */
    LEAVE,
    /** From here on waits for what was posted ahead. */
    ADOPT,
    /** Goes on when some receives are complete, while others may take long. */
    WAIT_FIRST,
    WAIT_ALL,
    WAIT_ANY,
    WAIT_SOME,
    /** Tests what was posted and nothing waits for yet. */
    TEST,
    /** Sends as the state has it. */
    FREE_SEND,
    /** Posts as the state has it a receive that nothing waits for. */
    FREE_POST,
    FREE_TEST,
    /** Looks for a message as the state has it. */
    FREE_PROBE,
    /** Receives what that found. */
    FREE_RECEIVE
  }

  static Operation of(final Kind kind) {
    return new Operation(kind, 0, 0, 0, Flow.ALL);
  }

  static Operation of(final Kind kind, final long communicator, final int peer, final int tag) {
    return new Operation(kind, communicator, peer, tag, Flow.ALL);
  }
}
