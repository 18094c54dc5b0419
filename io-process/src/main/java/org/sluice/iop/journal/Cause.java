package org.sluice.iop.journal;

/** The reason for which a log begins anew. */
public enum Cause {
  /** The log was settled and goes on. */
  SETTLED,
  /** The image became direct. */
  DIRECT,
  /** The image is logged again. */
  DIVERTED,
  /** The image was emptied. */
  EMPTIED
}
