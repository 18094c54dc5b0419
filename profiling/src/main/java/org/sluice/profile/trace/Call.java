package org.sluice.profile.trace;

/** The function a write was made with; its ordinal is its code in the trace format. */
public enum Call {
  /** Some other one. */
  OTHER,
  /** {@code write}. */
  WRITE,
  /** {@code pwrite}. */
  PWRITE,
  /** {@code writev}. */
  WRITEV,
  /** {@code pwritev}, {@code pwritev2}. */
  PWRITEV,
  /** {@code fwrite}, {@code fprintf} and others that write to a stream. */
  STDIO,
  /** {@code sendfile}, {@code copy_file_range}, {@code splice}. */
  COPY,
  /** A call of Sluice's own interface. */
  API,
  /** An MPI-IO function. */
  MPIIO;

  private static final Call[] BY_CODE = values();

  /** Codes of later versions of the program read as {@link #OTHER}. */
  static Call of(final int code) {
    return code < BY_CODE.length ? BY_CODE[code] : OTHER;
  }
}
