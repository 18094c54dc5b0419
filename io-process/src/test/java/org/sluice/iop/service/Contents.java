package org.sluice.iop.service;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Map;

/**
 * All that an object consists of, field by field, as text. Two are the same if their texts are;
 * AssertJ's recursive comparison takes a hundred times as long to find that.
 */
final class Contents {
  private final StringBuilder text = new StringBuilder();

  private Contents() {}

  static String of(final Object object) throws IllegalAccessException {
    final Contents contents = new Contents();
    contents.add(object);
    return contents.text.toString();
  }

  private void add(final Object object) throws IllegalAccessException {
    switch (object) {
      case null -> text.append("null");
      case final Map<?, ?> map -> {
        text.append("map\n");
        for (final Map.Entry<?, ?> entry : map.entrySet()) {
          add(entry.getKey());
          text.append(" -> ");
          add(entry.getValue());
        }
      }
      case final Collection<?> all -> {
        text.append("all\n");
        for (final Object one : all) {
          add(one);
        }
      }
      case final Object one
          when one.getClass().getName().startsWith("org.sluice") && !isEnum(one) ->
          addFields(one);
      default -> text.append(object);
    }
    text.append('\n');
  }

  private static boolean isEnum(final Object object) {
    return object instanceof Enum;
  }

  private void addFields(final Object object) throws IllegalAccessException {
    text.append(object.getClass().getSimpleName()).append(":\n");
    for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
      for (final Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          text.append(field.getName()).append(' ');
          add(field.get(object));
        }
      }
    }
  }
}
