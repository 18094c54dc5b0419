package org.sluice.mpi;

/**
 * A rule of the protocols, and for each protocol that has it a seed with which something breaks
 * where the rule is left out. When the simulator changes, {@code -Dmpi.find=true} finds new ones.
 */
enum Rule {
  /** Late messages come from the record. */
  LATE_MESSAGES(3, -1),
  /** A recovery repeats what was recorded. */
  RECORD(3, -1),
  /** A message that its receiver has is not sent again. */
  SUPPRESSION(3, -1),
  /** A receive is repeated only if its message is sent again. */
  CLOSURE_OVER_RECEIVES(3, -1),
  /** A collective is repeated only if its members enter it again. */
  CLOSURE_OVER_COLLECTIVES(187, -1),
  /** A receive is forced only if all are that were posted before and could take its message. */
  EARLIER_RECEIVES_FORCED(320, -1),
  /** Messages of a stream are numbered in the order in which their receives were posted. */
  NUMBERED_BY_POSTING(135, -1),
  /** A forced receive asks for source and tag. */
  FORCED_BY_NAME(3, -1),
  /** What tests, waits for any and probes said is said again. */
  OUTCOMES(3, -1),
  /** A straddling collective is answered from the record. */
  STRADDLING_FROM_RECORD(5, -1),
  /** So is one that only synchronizes. */
  STRADDLING_BARRIER(15, -1),
  /** The layer takes late messages that the program does not ask for. */
  LATE_DRAINED(1322, -1),
  /** A rank records until all are ready. */
  STOP_TOGETHER(48, -1),
  /** A record is complete when all of its receives are numbered. */
  STOP_WHEN_NUMBERED(1873, -1),
  /** A line is taken where all complete receives are numbered. */
  LINE_WHERE_NUMBERED(24, -1),
  /** A line is taken only behind the replay. */
  LINE_BEHIND_REPLAY(9, -1),
  /** A send in a replay does not wait for its receiver. */
  SENDS_BUFFERED_IN_REPLAY(3, -1),
  /** Open receives are posted again in their order. */
  OPEN_RECEIVES_IN_ORDER(20, 9),
  /** A collective that was open at the line has its result from the record, or ended before it. */
  OPEN_COLLECTIVES(9, 275),
  /** Ranks stop at the same spot. */
  EQUAL_SPOTS(-1, 0),
  /** The spots lie on one side of each collective. */
  EQUAL_COLLECTIVES(-1, 69),
  /** An image has all messages that were under way. */
  DRAINED(-1, 9),
  /** A rank that waits receives what comes. */
  DRAINED_WHILE_WAITING(-1, 0),
  /** The program sends nothing until all ranks have what was under way. */
  HELD_UNTIL_ALL_DRAINED(-1, 4),
  /** A rank that has all that was under way receives nothing more until it has its image. */
  STILL_WHEN_DRAINED(-1, 5),
  /** What was drained is in the image. */
  FED(-1, 4),
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
