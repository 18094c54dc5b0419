package org.sluice.profile.trace;

/** The way the bytes of a write took; the codes are those of the trace format. */
public enum Route {
  /** Not known. */
  UNKNOWN(0),
  /** Copied into the shared buffer. */
  LOGGED(1),
  /** An image's, but written to its file at once. */
  DIRECT(2),
  /** Not an image's. */
  PLAIN(3);

  private static final Route[] BY_CODE = values();
  private final int code;

  Route(final int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** Codes of later versions of the program read as {@link #UNKNOWN}. */
  static Route of(final int code) {
    return code < BY_CODE.length ? BY_CODE[code] : UNKNOWN;
  }
}
