package org.sluice.iop.journal;

import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.BufferUnderflowException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.openhft.chronicle.bytes.Bytes;
import org.sluice.core.store.RankSet;

/**
 * Entries as bytes: a type, then the fields in the order of the record, each by its own type. So a
 * record says all there is to say of its entry.
 */
final class EntryCodec {
  /** The type of an entry is its place here, from 1. */
  private static final List<Class<? extends Record>> TYPES =
      List.of(
          Entry.Attached.class,
          Entry.Detached.class,
          Entry.Admitted.class,
          Entry.Created.class,
          Entry.Changed.class,
          Entry.Opened.class,
          Entry.Closed.class,
          Entry.Taken.class,
          Entry.Drained.class,
          Entry.Emptying.class,
          Entry.Restarted.class,
          Entry.Begun.class,
          Entry.Completed.class,
          Entry.Committing.class,
          Entry.Ended.class,
          Entry.Replaced.class,
          Entry.Joined.class,
          Entry.Left.class,
          Entry.Counted.class,
          Entry.Known.class,
          Entry.Grouped.class);

  /** What reflection knows of a record, looked up once. */
  private static final ClassValue<Shape> SHAPES =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(final Class<?> type) {
          final RecordComponent[] fields = type.getRecordComponents();
          try {
            return new Shape(
                List.of(fields),
                type.getDeclaredConstructor(
                    Arrays.stream(fields).map(RecordComponent::getType).toArray(Class<?>[]::new)));
          } catch (final NoSuchMethodException noRecord) {
            throw new IllegalStateException(noRecord);
          }
        }
      };

  private record Shape(List<RecordComponent> fields, Constructor<?> constructor) {}

  private EntryCodec() {}

  /** Appends an entry to what is written so far. */
  static void write(final Bytes<?> out, final Entry entry) {
    out.writeInt(TYPES.indexOf(entry.getClass()) + 1);
    writeValue(out, entry);
  }

  private static void writeValue(final Bytes<?> out, final Object value) {
    switch (value) {
      case final Integer number -> out.writeInt(number);
      case final Long number -> out.writeLong(number);
      case final Boolean flag -> out.writeInt(flag ? 1 : 0);
      case final Enum<?> one -> out.writeInt(one.ordinal());
      case final String text -> writeText(out, text);
      case final RankSet ranks -> writeText(out, ranks.toString());
      case final List<?> all -> {
        out.writeInt(all.size());
        all.forEach(one -> writeValue(out, one));
      }
      case final Record fields -> {
        for (final RecordComponent field : SHAPES.get(fields.getClass()).fields) {
          try {
            writeValue(out, field.getAccessor().invoke(fields));
          } catch (final ReflectiveOperationException hidden) {
            throw new IllegalStateException(hidden);
          }
        }
      }
      default -> throw new IllegalStateException("no journal has a " + value.getClass());
    }
  }

  private static void writeText(final Bytes<?> out, final String text) {
    final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length).write(bytes);
  }

  /**
   * Reads one entry.
   *
   * @throws BufferUnderflowException when it makes no sense
   */
  static Entry read(final Bytes<?> in) {
    return (Entry) readRecord(in, one(TYPES, in.readInt() - 1));
  }

  private static Object readRecord(final Bytes<?> in, final Class<?> type) {
    final Shape shape = SHAPES.get(type);
    final Object[] values =
        shape.fields.stream().map(field -> readValue(in, field.getGenericType())).toArray();
    try {
      return shape.constructor.newInstance(values);
    } catch (final ReflectiveOperationException hidden) {
      throw new IllegalStateException(hidden);
    }
  }

  private static Object readValue(final Bytes<?> in, final Type type) {
    if (type instanceof final ParameterizedType list) {
      final List<Object> all = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        all.add(readValue(in, list.getActualTypeArguments()[0]));
      }
      return all;
    } else if (type == int.class || type == Integer.class) {
      return in.readInt();
    } else if (type == long.class) {
      return in.readLong();
    } else if (type == boolean.class) {
      return in.readInt() != 0;
    } else if (type == String.class) {
      return readText(in);
    } else if (type == RankSet.class) {
      return RankSet.parse(readText(in)).orElseThrow(BufferUnderflowException::new);
    }
    final Class<?> other = (Class<?>) type;
    return other.isEnum()
        ? one(List.of(other.getEnumConstants()), in.readInt())
        : readRecord(in, other);
  }

  private static <T> T one(final List<T> all, final int index) {
    if (index < 0 || index >= all.size()) {
      throw new BufferUnderflowException();
    }
    return all.get(index);
  }

  private static String readText(final Bytes<?> in) {
    final int length = in.readInt();
    if (length < 0 || length > in.readRemaining()) {
      throw new BufferUnderflowException();
    }
    final byte[] bytes = new byte[length];
    in.read(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
