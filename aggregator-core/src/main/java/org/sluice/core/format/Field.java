package org.sluice.core.format;

/**
 * A field of a {@link Structure}.
 *
 * @param offset bytes from the structure's beginning
 * @param count the number of values of that type; of {@link Type#STRING} the bytes of room
 * @param writer its writer; empty where the structure says it
 * @param meaning unit, range and what the values say, as one line
 */
public record Field(int offset, Type type, int count, String name, String writer, String meaning) {
  /** The layout of a field in memory: little-endian, at a multiple of its length. */
  public enum Type {
    I32(4, "i32", "int32_t"),
    I64(8, "i64", "int64_t"),
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

    /** Returns the bytes of a value. */
    public int length() {
      return length;
    }

    /** Returns the name in the documentation, such as {@code i32}. */
    public String label() {
      return label;
    }

    /** Returns the name in C, such as {@code int32_t}. */
    public String c() {
      return c;
    }
  }

  /** Returns the offset of the first byte behind it. */
  public int end() {
    return offset + count * type.length();
  }
}
