package org.sluice.core.request;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.segment.HeaderDescriptor;

/**
 * How a kind of request or reply lies in a frame: the components of its record, one after another.
 * A number is as long as its type, a text or a list begins with its length. Thread-safe.
 */
final class Body {
  private static final ClassValue<Body> ALL =
      new ClassValue<>() {
        @Override
        protected Body computeValue(final Class<?> type) {
          return new Body(type);
        }
      };

  private static final Map<Integer, Body> REQUESTS =
      Stream.of(Request.class.getPermittedSubclasses())
          .map(ALL::get)
          .collect(Collectors.toMap(body -> body.wire.type(), Function.identity()));

  private final Wire wire;
  private final RecordComponent[] fields;
  private final boolean[] padded;
  private final Constructor<?> constructor;

  private Body(final Class<?> type) {
    wire = type.getAnnotation(Wire.class);
    fields = type.getRecordComponents();
    padded = new boolean[fields.length];
    final Class<?>[] types = new Class<?>[fields.length];
    for (int i = 0; i < fields.length; i++) {
      final Wire.Means means = fields[i].getAnnotation(Wire.Means.class);
      padded[i] = means != null && means.padded();
      types[i] = fields[i].getType();
    }
    try {
      constructor = type.getDeclaredConstructor(types);
    } catch (final NoSuchMethodException e) {
      throw new IllegalStateException(e);
    }
  }

  /** That of a request or a reply, or of a part of one. */
  static Body of(final Class<?> type) {
    return ALL.get(type);
  }

  /** That of the requests of a type; null when there is none. */
  static Body ofRequest(final int type) {
    return REQUESTS.get(type);
  }

  /** What a request is on the wire. */
  Wire wire() {
    return wire;
  }

  /** Writes the components of a record. */
  void put(final Object message, final FrameWriter frame) throws ProtocolException {
    for (int i = 0; i < fields.length; i++) {
      try {
        putValue(fields[i].getAccessor().invoke(message), frame);
      } catch (final ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
      if (padded[i]) {
        frame.putInt(0);
      }
    }
  }

  private static void putValue(final Object value, final FrameWriter frame)
      throws ProtocolException {
    switch (value) {
      case Integer number -> frame.putInt(number);
      case Long number -> frame.putLong(number);
      case String text -> frame.putString(text);
      case List<?> list -> {
        frame.putInt(list.size());
        for (final Object each : list) {
          putValue(each, frame);
        }
      }
      default -> of(value.getClass()).put(value, frame);
    }
  }

  /**
   * Reads a record. Of one that begins with another version only that is read, so that the sender
   * can be told.
   */
  Object get(final FrameReader frame) throws ProtocolException {
    final Object[] values = new Object[fields.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = getValue(fields[i].getType(), frame);
      if (fields[i].getName().equals("version") && !values[i].equals(HeaderDescriptor.VERSION)) {
        frame.onlyZeros();
      }
      if (padded[i]) {
        frame.getInt();
      }
    }
    try {
      return constructor.newInstance(values);
    } catch (final ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Object getValue(final Class<?> type, final FrameReader frame)
      throws ProtocolException {
    return switch (type.getSimpleName()) {
      case "int" -> frame.getInt();
      case "long" -> frame.getLong();
      case "String" -> frame.getString();
      case "List" -> getNumbers(frame);
      default -> of(type).get(frame);
    };
  }

  private static List<Long> getNumbers(final FrameReader frame) throws ProtocolException {
    final List<Long> numbers = new ArrayList<>();
    for (int left = frame.getInt(); left > 0; left--) {
      numbers.add(frame.getLong());
    }
    return numbers;
  }
}
