package org.sluice.iop.journal;

/** Why a log begins anew. */
public enum Cause {
  /** It was settled and goes on. */
  SETTLED,
  /** The image became direct. */
  DIRECT,
  /** The image is logged again. */
  DIVERTED,
  /** The image was emptied. */
  EMPTIED
}
