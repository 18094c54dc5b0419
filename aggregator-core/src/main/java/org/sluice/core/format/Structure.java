package org.sluice.core.format;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A structure of a binary format: fields at fixed offsets. A descriptor class declares it once,
 * field after field, and keeps each field's offset in a constant for the code that reads and writes
 * it. The C declaration and the tables of {@code docs/format.md} are generated from the same class.
 *
 * <p>A structure changes only while its descriptor class is initialized.
 */
public final class Structure {
  /** Writer of a field: the I/O process. */
  public static final String IOP = "IOP";

  /** Writer of a field: the attached process. */
  public static final String AP = "AP";

  private final String name;
  private final int length;
  private final List<Field> fields = new ArrayList<>();
  private String writer = "";
  private int end;

  /**
   * @param name its name in C, behind {@code sluice_}
   * @param length its bytes, unused ones at the end included
   */
  public Structure(final String name, final int length) {
    this.name = name;
    this.length = length;
  }

  /** Leaves bytes unused before the next field. */
  public Structure at(final int offset) {
    end = offset;
    return this;
  }

  /** Sets the writer of the fields that follow. */
  public Structure by(final String who) {
    writer = who;
    return this;
  }

  public int field(final Field.Type type, final String field, final String meaning) {
    return fields(type, 1, field, meaning);
  }

  /**
   * @param count their number; of strings the bytes of room
   */
  public int fields(
      final Field.Type type, final int count, final String field, final String meaning) {
    final Field added = new Field(end, type, count, field, writer, meaning);
    if (end % type.length() != 0 || added.end() > length) {
      throw new IllegalArgumentException("%s of %s at %d".formatted(field, name, end));
    }
    fields.add(added);
    end = added.end();
    return added.offset();
  }

  /** Returns the name in C, behind {@code sluice_}. */
  public String name() {
    return name;
  }

  public int length() {
    return length;
  }

  public List<Field> fields() {
    return fields.stream().sorted(Comparator.comparingInt(Field::offset)).toList();
  }
}
