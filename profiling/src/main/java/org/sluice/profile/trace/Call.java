package org.sluice.profile.trace;

/** The function a write was made with; the codes are those of the trace format. */
public enum Call {
  /** Some other one. */
  OTHER(0),
  /** {@code write}. */
  WRITE(1),
  /** {@code pwrite}. */
  PWRITE(2),
  /** {@code writev}. */
  WRITEV(3),
  /** {@code pwritev}, {@code pwritev2}. */
  PWRITEV(4),
  /** {@code fwrite}, {@code fprintf} and whatever else writes to a stream. */
  STDIO(5),
  /** {@code sendfile}, {@code copy_file_range}, {@code splice}. */
  COPY(6),
  /** A call of Sluice's own interface. */
  API(7),
  /** An MPI-IO function. */
  MPIIO(8);

  private static final Call[] BY_CODE = values();
  private final int code;

  Call(final int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** Codes of later versions of the program read as {@link #OTHER}. */
  static Call of(final int code) {
    return code < BY_CODE.length ? BY_CODE[code] : OTHER;
  }
}
