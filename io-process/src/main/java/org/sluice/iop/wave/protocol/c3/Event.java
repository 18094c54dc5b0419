package org.sluice.iop.wave.protocol.c3;

import java.util.List;
import org.sluice.iop.wave.protocol.Collective;
import org.sluice.iop.wave.protocol.Flow;
import org.sluice.iop.wave.protocol.Message;
import org.sluice.iop.wave.protocol.Pattern;

/**
 * An action of a rank behind its line; a recording has all of them in program order. A recovery has
 * the rank do it again, checks that it does, and answers its calls as they were answered.
 *
 * <p>Requests are named by the number that the layer gave them. The program makes them in the same
 * order again, so the numbers come back.
 */
public sealed interface Event {
  /**
   * A message was sent.
   *
   * @param check a checksum of its bytes, which a recovery compares where it suppresses the message
   */
  record Sent(Message message, int check) implements Event {}

  /** A receive was posted. */
  record Posted(int request, Pattern pattern) implements Event {}

  /**
   * A call told the program which requests are complete. The result of a wait for any of several
   * depends on what came first.
   */
  record Completed(List<Integer> requests) implements Event {}

  /**
   * The program found a message without taking it. A find gets the number of a request, so that it
   * is numbered as if it were a receive.
   */
  record Probed(int request) implements Event {}

  /**
   * A collective was entered, blocking or not.
   *
   * @param request the request; a blocking one is entered and then completed
   * @param root the root by its rank in the world, where the operation has one
   * @param check a checksum of what this rank contributed
   */
  record Entered(int request, Collective collective, Flow flow, int root, int check)
      implements Event {}

  /**
   * Tests and probes, one after the other, told the program nothing. A program that polls makes so
   * many of them that they are counted.
   *
   * @param calls how many, 1 or more
   */
  record Nothing(long calls) implements Event {}
}
