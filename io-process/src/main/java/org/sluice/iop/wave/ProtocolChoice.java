package org.sluice.iop.wave;

import org.sluice.iop.wave.protocol.Control;

/**
 * Which protocol the waves of a job have. Where the user leaves that to Sluice the first wave is
 * one of Pcl, and tells what a stop of all costs here: for how long ranks stand still at one spot
 * until all are there and nothing is under way. A job that synchronises there anyway waits for next
 * to nothing, and its images need no record. Another one goes on by C3. Service thread only.
 */
final class ProtocolChoice {
  /** Less than that nobody notices, in nanoseconds. */
  private static final double NOTHING = 1e6;

  /** Which part of the time that the images take the wait for others may be. */
  private static final double PART = 0.1;

  /** So often ranks may be beyond the spot, as they pass many in no time. */
  private static final int TRIALS = 8;

  private static final String PCL = "pcl";

  private int protocol;
  private int trials;
  private String why = "";

  /**
   * What the user wants: a protocol, or that it is chosen.
   *
   * @param wanted of {@link Control}
   * @param chosen what an earlier attempt of the job chose, by its name; null for nothing
   */
  ProtocolChoice(final int wanted, final String chosen) {
    protocol = wanted != Control.AUTO || chosen == null ? wanted : of(chosen);
  }

  private static int of(final String name) {
    return name.equals(PCL) ? Control.PCL : Control.C3;
  }

  /** The protocol of the next wave. */
  int next() {
    return protocol == Control.C3 ? Control.C3 : Control.PCL;
  }

  /** Whether it is not made yet. */
  boolean isOpen() {
    return protocol == Control.AUTO;
  }

  /** What it rests on, for the user, once; empty where nothing was chosen since. */
  String why() {
    final String said = why;
    why = "";
    return said;
  }

  /**
   * A wave of Pcl is whole.
   *
   * @param waited for how long a rank waited for others, in nanoseconds, the mean of all
   * @param taking for how long its image took
   */
  void measured(final double waited, final double taking) {
    if (isOpen()) {
      protocol = waited <= Math.max(NOTHING, PART * taking) ? Control.PCL : Control.C3;
      why =
          "%s from here on: ranks waited %.1f ms for each other, and %.1f ms for their images"
              .formatted(name(), waited / 1e6, taking / 1e6);
    }
  }

  /** All have heard of the spot too late: farther on it may do. */
  void passed() {
    if (isOpen() && ++trials == TRIALS) {
      stopsBadly("ranks pass spots faster than they hear of them");
    }
  }

  /** All cannot stop at one spot. */
  void stopsBadly(final String reason) {
    if (isOpen()) {
      protocol = Control.C3;
      why = name() + " from here on: " + reason;
    }
  }

  /** The protocol's name. */
  String name() {
    return protocol == Control.C3 ? "c3" : PCL;
  }
}
