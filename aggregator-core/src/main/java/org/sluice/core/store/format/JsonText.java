package org.sluice.core.store.format;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A reader of the JSON in a store: an object of texts, whole numbers, truth values, nulls and lists
 * of those. The first text that the library reads takes as long as all else that a short command
 * does. For the library makes a table of powers of five for numbers that no store has.
 */
public final class JsonText {
  private final String text;
  private final boolean hasFractions;
  private int at;

  private JsonText(final String text, final boolean hasFractions) {
    this.text = text;
    this.hasFractions = hasFractions;
  }

  /**
   * @param json text in UTF-8
   * @return members by name, in their order; whole numbers are {@code Long}
   * @throws IOException when the text is anything else
   */
  public static Map<String, Object> members(final byte[] json) throws IOException {
    return new JsonText(new String(json, StandardCharsets.UTF_8), false).all();
  }

  /**
   * Returns the members of an object whose numbers may have fractions.
   *
   * @return members by name, in their order; whole numbers are {@code Long}, others {@code Double}
   * @throws IOException when the text is anything else
   */
  public static Map<String, Object> membersWithFractions(final String json) throws IOException {
    return new JsonText(json, true).all();
  }

  private Map<String, Object> all() throws IOException {
    final Map<String, Object> members = object();
    skipBlanks();
    if (at < text.length()) {
      throw error();
    }
    return members;
  }

  private Map<String, Object> object() throws IOException {
    final Map<String, Object> members = new LinkedHashMap<>();
    expect('{');
    while (!isNext('}')) {
      if (!members.isEmpty()) {
        expect(',');
      }
      expect('"');
      final String name = string();
      expect(':');
      members.put(name, value());
    }
    return members;
  }

  private Object value() throws IOException {
    if (isNext('"')) {
      return string();
    }
    if (isNext('[')) {
      return list();
    }
    final int begin = at;
    while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    final String word = text.substring(begin, at);
    return switch (word) {
      case "true" -> Boolean.TRUE;
      case "false" -> Boolean.FALSE;
      case "null" -> null;
      default -> number(word);
    };
  }

  private List<Object> list() throws IOException {
    final List<Object> values = new ArrayList<>();
    while (!isNext(']')) {
      if (!values.isEmpty()) {
        expect(',');
      }
      if (isNext('[')) {
        throw error(); // so that no text is too deep for the stack
      }
      values.add(value());
    }
    return values;
  }

  private Number number(final String word) throws IOException {
    try {
      final boolean whole = !hasFractions || word.chars().noneMatch(c -> ".eE".indexOf(c) >= 0);
      return whole ? (Number) Long.valueOf(word) : Double.valueOf(word);
    } catch (final NumberFormatException e) {
      throw error();
    }
  }

  private String string() throws IOException {
    final StringBuilder string = new StringBuilder();
    for (char next = next(); next != '"'; next = next()) {
      if (next < ' ') {
        throw error();
      }
      string.append(next == '\\' ? escaped() : next);
    }
    return string.toString();
  }

  private char escaped() throws IOException {
    final char escape = next();
    return switch (escape) {
      case '"', '\\', '/' -> escape;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        int code = 0;
        for (int i = 0; i < 4; i++) {
          final int digit = Character.digit(next(), 16);
          if (digit < 0) {
            throw error();
          }
          code = code << 4 | digit;
        }
        yield (char) code;
      }
      default -> throw error();
    };
  }

  private char next() throws IOException {
    if (at == text.length()) {
      throw error();
    }
    return text.charAt(at++);
  }

  private boolean isNext(final char wanted) {
    skipBlanks();
    final boolean is = at < text.length() && text.charAt(at) == wanted;
    at += is ? 1 : 0;
    return is;
  }

  private void expect(final char wanted) throws IOException {
    if (!isNext(wanted)) {
      throw error();
    }
  }

  private void skipBlanks() {
    while (at < text.length() && " \n\r\t".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IOException error() {
    return new IOException("no JSON of a store at " + at);
  }
}
