package org.sluice.profile.text;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.posix.FileName;

/** The arguments of a call as strace prints them. */
final class StraceArguments {
  private static final Pattern DESCRIPTOR = Pattern.compile("(\\d+)(?:<(.*)>(?:\\(deleted\\))?)?");
  private static final Pattern ESCAPE = Pattern.compile("\\\\([0-7]{1,3}|x[0-9a-f]{2}|[ -~])");
  private static final String LETTERS = "abtnvfr";
  private static final Pattern NUMBER = Pattern.compile("\\[?(-?\\d+).*");

  private final List<String> arguments;

  /** A file descriptor; the path is null when strace did not print it. */
  record AnnotatedDescriptor(int number, String path) {}

  StraceArguments(final String text) {
    arguments = split(text);
  }

  /** Splits a text at the commas that are in no string, bracket or path. */
  private static List<String> split(final String text) {
    final List<String> parts = new ArrayList<>();
    int depth = 0;
    int begin = 0;
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      final char c = text.charAt(i);
      if (quoted && c == '\\') {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && "([{<".indexOf(c) >= 0) {
        depth++;
      } else if (!quoted && ")]}>".indexOf(c) >= 0) {
        depth--;
      } else if (!quoted && c == ',' && depth <= 0) {
        parts.add(text.substring(begin, i).strip());
        begin = i + 1;
      }
    }
    parts.add(text.substring(begin).strip());
    return parts;
  }

  String text(final int index) {
    return index < arguments.size() ? arguments.get(index) : "";
  }

  /** Returns an offset, in brackets or not; -1 for none. */
  long number(final int index) {
    final Matcher matcher = NUMBER.matcher(text(index));
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : -1;
  }

  AnnotatedDescriptor descriptor(final int index) {
    return descriptor(text(index));
  }

  /** Returns the descriptor that a text shows; number -1 when the text is no descriptor. */
  static AnnotatedDescriptor descriptor(final String text) {
    final Matcher matcher = DESCRIPTOR.matcher(text);
    return matcher.matches()
        ? new AnnotatedDescriptor(Integer.parseInt(matcher.group(1)), unescape(matcher.group(2)))
        : new AnnotatedDescriptor(-1, null);
  }

  /** Returns a string argument without its quotes. */
  String string(final int index) {
    final String quoted = text(index);
    return quoted.startsWith("\"") && quoted.endsWith("\"") && quoted.length() > 1
        ? unescape(quoted.substring(1, quoted.length() - 1))
        : quoted;
  }

  /** Decodes escapes. Each escape of strace is one byte, possibly a part of a character. */
  private static String unescape(final String text) {
    if (text == null || text.indexOf('\\') < 0) {
      return text;
    }
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    final Matcher escape = ESCAPE.matcher(text);
    int from = 0;
    for (; escape.find(from); from = escape.end()) {
      bytes.writeBytes(FileName.encode(text.substring(from, escape.start())));
      bytes.write(unescaped(escape.group(1)));
    }
    bytes.writeBytes(FileName.encode(text.substring(from)));
    return FileName.decode(bytes.toByteArray());
  }

  private static int unescaped(final String escape) {
    final char first = escape.charAt(0);
    if (first >= '0' && first <= '7') {
      return Integer.parseInt(escape, 8);
    }
    if (escape.length() > 1) {
      return Integer.parseInt(escape.substring(1), 16);
    }
    final int control = LETTERS.indexOf(first);
    return control < 0 ? first : 7 + control;
  }
}
