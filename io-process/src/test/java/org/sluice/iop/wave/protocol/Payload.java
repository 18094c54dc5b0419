package org.sluice.iop.wave.protocol;

/**
 * A message as the program made it. It carries what a check at the end of a history wants to know,
 * and no protocol looks at: how many messages the sender had sent to this receiver on this
 * communicator.
 */
record Payload(long communicator, int source, int tag, int sequence, long content) {
  int check() {
    return (int) Hash.of(communicator, source, tag, sequence, content);
  }
}
