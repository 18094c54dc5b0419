package org.sluice.iop.wave.protocol;

/**
 * A rule of the protocols, and for each protocol that has it a seed with which something breaks
 * where the rule is left out. When the simulator changes, {@code -Dmpi.find=true} finds new ones.
 */
public enum Rule {
  /** Late messages come from the record. */
  LATE_MESSAGES(4, -1),
  /** A recovery repeats what was recorded. */
  RECORD(4, -1),
  /** A message that its receiver has is not sent again. */
  SUPPRESSION(4, -1),
  /** A receive is repeated only if its message is sent again. */
  CLOSURE_OVER_RECEIVES(38, -1),
  /** A collective is repeated only if its members enter it again. */
  CLOSURE_OVER_COLLECTIVES(7, -1),
  /** A receive is forced only if all are that were posted before and could take its message. */
  EARLIER_RECEIVES_FORCED(639, -1),
  /** Messages of a stream are numbered in the order in which their receives were posted. */
  NUMBERED_BY_POSTING(9, -1),
  /** A forced receive asks for source and tag. */
  FORCED_BY_NAME(4, -1),
  /** What tests, waits for any and probes said is said again. */
  OUTCOMES(4, -1),
  /** A straddling collective is answered from the record. */
  STRADDLING_FROM_RECORD(4, -1),
  /** So is one that only synchronizes. */
  STRADDLING_BARRIER(11, -1),
  /** The layer takes late messages that the program does not ask for. */
  LATE_DRAINED(171, -1),
  /** A rank records until all are ready. */
  STOP_TOGETHER(12, -1),
  /** A record is complete when all of its receives are numbered. */
  STOP_WHEN_NUMBERED(591, -1),
  /** A line is taken where all complete receives are numbered. */
  LINE_WHERE_NUMBERED(10, -1),
  /** A line is taken only behind the replay. */
  LINE_BEHIND_REPLAY(9, -1),
  /** A send in a replay does not wait for its receiver. */
  SENDS_BUFFERED_IN_REPLAY(4, -1),
  /** Once a wave is committed both ends of a stream count from the line of its sender on. */
  COUNTED_FROM_SENDERS_LINE(0, 0),
  /** So do messages that the layer has taken. */
  DRAINED_COUNTED_FROM_LINE(4, -1),
  /** A message is suppressed in the replay alone: behind it one may have that number again. */
  SUPPRESSED_IN_REPLAY(4, -1),
  /** A line counts the collectives of communicators that the program has freed. */
  FREED_COUNTED(86, 129),
  /** Open receives are posted again in their order. */
  OPEN_RECEIVES_IN_ORDER(16, 16),
  /** A collective that was open at the line has its result from the record, or ended before it. */
  OPEN_COLLECTIVES(11, 690),
  /** Ranks stop at the same spot. */
  EQUAL_SPOTS(-1, 0),
  /** The spots lie on one side of each collective. */
  EQUAL_COLLECTIVES(-1, 129),
  /** An image has all messages that were under way. */
  DRAINED(-1, 9),
  /** A rank that waits receives what comes. */
  DRAINED_WHILE_WAITING(-1, 0),
  /** The program sends nothing until all ranks have what was under way. */
  HELD_UNTIL_ALL_DRAINED(-1, 7),
  /** A rank that has all that was under way receives nothing more until it has its image. */
  STILL_WHEN_DRAINED(-1, 7),
  /** What was drained is in the image. */
  FED(-1, 7),
  /** What was drained is given to the program before anything from the network. */
  FED_FIRST(-1, 0),
  /** What was drained is given to the program in the order in which it came. */
  FED_IN_ORDER(-1, 0);

  final long c3;
  final long pcl;

  Rule(final long c3, final long pcl) {
    this.c3 = c3;
    this.pcl = pcl;
  }
}
