import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.request.Request;
import org.sluice.core.request.Wire;

/** The bodies of the requests and replies, as their records describe them. */
final class Messages {
  /** A field of a body; a text or a list has its length before it. */
  record Field(String name, String type, String meaning) {
    private static Field of(final RecordComponent component) {
      final Wire.Means means = component.getAnnotation(Wire.Means.class);
      final Class<?> type = component.getType();
      return new Field(
          Names.snakeCase(component.getName()),
          type == int.class
              ? "i32"
              : type == long.class ? "i64" : type == String.class ? "string" : "list of i64",
          means == null ? "" : means.value());
    }

    private boolean isNumber() {
      return type.equals("i32") || type.equals("i64");
    }

    @Override
    public String toString() {
      return name + " " + type + (meaning.isEmpty() ? "" : " (" + meaning + ")");
    }
  }

  private Messages() {}

  private static List<Class<?>> requests() {
    return Stream.of(Request.class.getPermittedSubclasses())
        .sorted(Comparator.comparingInt(request -> wire(request).type()))
        .toList();
  }

  private static Wire wire(final Class<?> request) {
    return request.getAnnotation(Wire.class);
  }

  private static String name(final Class<?> request) {
    final String name = wire(request).name();
    return name.isEmpty()
        ? Names.snakeCase(request.getSimpleName())
        : name.toLowerCase(Locale.ROOT);
  }

  private static List<Field> fields(final Class<?> message) {
    final List<Field> fields = new ArrayList<>();
    for (final RecordComponent component : message.getRecordComponents()) {
      if (component.getType().isRecord()) {
        fields.addAll(fields(component.getType()));
      } else {
        fields.add(Field.of(component));
      }
      final Wire.Means means = component.getAnnotation(Wire.Means.class);
      if (means != null && means.padded()) {
        fields.add(new Field("reserved", "i32", ""));
      }
    }
    return fields;
  }

  /** Structs of the numbers that a request or a reply begins with. */
  static String structs() {
    final StringBuilder out = new StringBuilder();
    final Set<Class<?>> replies = new LinkedHashSet<>();
    out.append("\n/* Request */\n");
    for (final Class<?> request : requests()) {
      out.append(
          "#define SLUICE_REQUEST_%s %d%n"
              .formatted(name(request).toUpperCase(Locale.ROOT), wire(request).type()));
    }
    for (final Class<?> request : requests()) {
      struct(out, "request_" + name(request), fields(request));
      replies.add(wire(request).reply());
    }
    replies.forEach(
        reply -> struct(out, "reply_" + Names.snakeCase(reply.getSimpleName()), fields(reply)));
    return out.toString();
  }

  private static void struct(
      final StringBuilder out, final String name, final Collection<Field> fields) {
    final String numbers =
        fields.stream()
            .filter(Field::isNumber)
            .map(field -> "    int%s_t %s;%n".formatted(field.type.substring(1), field.name))
            .collect(Collectors.joining());
    if (!numbers.isEmpty()) {
      out.append("%nstruct __attribute__((packed)) sluice_%s {%n%s};%n".formatted(name, numbers));
    }
  }

  /** The table of the requests. */
  static String table() {
    final StringBuilder out = new StringBuilder("| type | | request body | reply body |\n");
    out.append("|---|---|---|---|\n");
    for (final Class<?> request : requests()) {
      out.append(
          "| %d | %s | %s | %s |%n"
              .formatted(
                  wire(request).type(),
                  name(request).toUpperCase(Locale.ROOT),
                  text(fields(request), ""),
                  text(fields(wire(request).reply()), wire(request).replyMeans())));
    }
    return out.toString();
  }

  private static String text(final List<Field> fields, final String meaning) {
    final String all = fields.stream().map(Field::toString).collect(Collectors.joining(", "));
    return Stream.of(all, meaning)
        .filter(part -> !part.isEmpty())
        .collect(Collectors.collectingAndThen(Collectors.joining("; "), Messages::orEmpty));
  }

  private static String orEmpty(final String text) {
    return text.isEmpty() ? "empty" : text;
  }
}
