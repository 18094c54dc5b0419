package org.sluice.profile.trace;

/** The function that made a write. Its ordinal is its code in the trace format. */
public enum Call {
  /** Any other function. */
  OTHER,
  /** The function {@code write}. */
  WRITE,
  /** The function {@code pwrite}. */
  PWRITE,
  /** The function {@code writev}. */
  WRITEV,
  /** The functions {@code pwritev} and {@code pwritev2}. */
  PWRITEV,
  /** The functions {@code fwrite}, {@code fprintf} and others that write to a stream. */
  STDIO,
  /** The functions {@code sendfile}, {@code copy_file_range} and {@code splice}. */
  COPY,
  /** A call of Sluice's own interface. */
  API,
  /** An MPI-IO function. */
  MPIIO;

  private static final Call[] BY_CODE = values();

  /** Returns the function of a code. Codes of later versions of the program give {@link #OTHER}. */
  static Call of(final int code) {
    return code < BY_CODE.length ? BY_CODE[code] : OTHER;
  }
}
