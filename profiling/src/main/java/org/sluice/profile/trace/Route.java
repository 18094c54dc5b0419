package org.sluice.profile.trace;

/** The way the bytes of a write took; its ordinal is its code in the trace format. */
public enum Route {
  /** Not known. */
  UNKNOWN,
  /** Copied into the shared buffer. */
  LOGGED,
  /** An image's, but written to its file at once. */
  DIRECT,
  /** Not an image's. */
  PLAIN;

  private static final Route[] BY_CODE = values();

  /** Codes of later versions of the program read as {@link #UNKNOWN}. */
  static Route of(final int code) {
    return code < BY_CODE.length ? BY_CODE[code] : UNKNOWN;
  }
}
