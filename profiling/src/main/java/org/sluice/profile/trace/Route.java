package org.sluice.profile.trace;

/** The way that the bytes of a write took. Its ordinal is its code in the trace format. */
public enum Route {
  /** Bytes whose way is unknown. */
  UNKNOWN,
  /** Bytes copied into the shared buffer. */
  LOGGED,
  /** Bytes of an image that were written to its file at once. */
  DIRECT,
  /** Bytes of a file that is no image. */
  PLAIN;

  private static final Route[] BY_CODE = values();

  /** Returns the way of a code. Codes of later versions of the program give {@link #UNKNOWN}. */
  static Route of(final int code) {
    return code < BY_CODE.length ? BY_CODE[code] : UNKNOWN;
  }
}
