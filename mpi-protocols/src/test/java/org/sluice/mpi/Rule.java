package org.sluice.mpi;

/** A rule of a protocol, which a rank or the coordinator may be made to leave out. */
enum Rule {
  /** Late messages come from the record. */
  LATE_MESSAGES,
  /** A recovery repeats what was recorded. */
  RECORD,
  /** A message that its receiver has is not sent again. */
  SUPPRESSION,
  /** A receive is repeated only if its message is sent again. */
  CLOSURE_OVER_RECEIVES,
  /** A collective is repeated only if its members enter it again. */
  CLOSURE_OVER_COLLECTIVES,
  /** A receive is forced only if all are that were posted before and could take its message. */
  EARLIER_RECEIVES_FORCED,
  /** Messages of a stream are numbered in the order in which their receives were posted. */
  NUMBERED_BY_POSTING,
  /** A forced receive asks for source and tag. */
  FORCED_BY_NAME,
  /** What tests, waits for any and probes said is said again. */
  OUTCOMES,
  /** A straddling collective is answered from the record. */
  STRADDLING_FROM_RECORD,
  /** So is one that only synchronizes. */
  STRADDLING_BARRIER,
  /** Open receives are posted again in their order. */
  OPEN_RECEIVES_IN_ORDER,
  /** A rank records until all are ready. */
  STOP_TOGETHER,
  /** A record is complete when all of its receives are numbered. */
  STOP_WHEN_NUMBERED,
  /** A line is taken where all complete receives are numbered. */
  LINE_WHERE_NUMBERED,
  /** A line is taken only behind the replay. */
  LINE_BEHIND_REPLAY,
  /** A send in a replay does not wait for its receiver. */
  SENDS_BUFFERED_IN_REPLAY,
  /** A collective that was open at the line has its result from the record. */
  OPEN_COLLECTIVES,
  /** Ranks stop at the same spot. */
  EQUAL_SPOTS,
  /** The spots lie on one side of each collective. */
  EQUAL_COLLECTIVES,
  /** An image has all messages that were under way. */
  DRAINED,
  /** A rank that waits receives what comes. */
  DRAINED_WHILE_WAITING,
  /** It receives that in the order in which it was sent. */
  DRAINED_IN_ORDER,
  /** The program sends nothing until all ranks have what was under way. */
  HELD_UNTIL_ALL_DRAINED,
  /** A rank that has all that was under way receives nothing more until it has its image. */
  STILL_WHEN_DRAINED,
  /** What was drained is given to the program. */
  FED,
  /** What was drained is given to the program before anything from the network, oldest first. */
  FED_IN_ORDER
}
