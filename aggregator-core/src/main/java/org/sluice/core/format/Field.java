package org.sluice.core.format;

/**
 * A field of a {@link Structure}.
 *
 * @param offset bytes from the structure's beginning
 * @param type how it lies in memory
 * @param count how many of that type stand there; of {@link Type#STRING} the bytes it has room for
 * @param name what C and the documentation call it
 * @param writer who writes it; empty where the structure says it
 * @param meaning unit, range and what the values say, as one line
 */
public record Field(int offset, Type type, int count, String name, String writer, String meaning) {
  /** How a field lies in memory: little-endian, at a multiple of its length. */
  public enum Type {
    /** A signed number of 32 bits. */
    I32(4, "i32", "int32_t"),
    /** A signed number of 64 bits. */
    I64(8, "i64", "int64_t"),
    /** An unsigned number of 64 bits. */
    U64(8, "u64", "uint64_t"),
    /** {@link #I32} that another process reads or writes at the same time. */
    SHARED_I32(4, "i32", "_Atomic int32_t"),
    /** {@link #I64} that another process reads or writes at the same time. */
    SHARED_I64(8, "i64", "_Atomic int64_t"),
    /** Length in bytes, 32 bits, and UTF-8. */
    STRING(1, "string", "char");

    private final int length;
    private final String label;
    private final String c;

    Type(final int length, final String label, final String c) {
      this.length = length;
      this.label = label;
      this.c = c;
    }

    /**
     * How long a value of this type is.
     *
     * @return bytes
     */
    public int length() {
      return length;
    }

    /**
     * What the documentation calls it.
     *
     * @return such as {@code i32}
     */
    public String label() {
      return label;
    }

    /**
     * What C calls it.
     *
     * @return such as {@code int32_t}
     */
    public String c() {
      return c;
    }
  }

  /**
   * Where the field ends.
   *
   * @return bytes from the structure's beginning
   */
  public int end() {
    return offset + count * type.length();
  }
}
