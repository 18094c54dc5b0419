import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Java that writes the fields of records one after another, and reads them. */
final class Codec {
  private static final Set<String> BOXES = Set.of("Integer", "Long");

  private record Calls(String put, String get) {}

  private final Records records;
  private final String parent;
  private final String writer;
  private final String reader;
  private final String fails;
  private final Map<String, Calls> calls = new LinkedHashMap<>();
  private final Map<String, String> lists = new LinkedHashMap<>();

  /**
   * A codec of no type of field yet.
   *
   * @param records what is encoded
   * @param parent where the records of fields are declared that are none of their own
   * @param writer the type of {@code out}
   * @param reader the type of {@code in}
   * @param fails what its methods throw
   */
  Codec(
      final Records records,
      final String parent,
      final String writer,
      final String reader,
      final String fails) {
    this.records = records;
    this.parent = parent;
    this.writer = writer;
    this.reader = reader;
    this.fails = fails;
  }

  /** Adds how a type of field is written and read. */
  Codec with(final String type, final String put, final String get) {
    calls.put(type, new Calls(put, get));
    return this;
  }

  /** A method that writes any of some records; a line of each comes first. */
  String writes(
      final String type,
      final Collection<Records.Type> all,
      final Function<Records.Type, String> first) {
    return """

      static void put(final %s message, final %s out)%s {
        %s
      }
    """
        .formatted(
            type,
            writer,
            fails,
            all.stream()
                .map(
                    each ->
                        "if (message instanceof final %s it) {%n      %s;%n%s    }"
                            .formatted(
                                each.name(), first.apply(each), puts(each, "it", "      ")))
                .collect(Collectors.joining(" else ")));
  }

  private String puts(final Records.Type record, final String it, final String indent) {
    return record.fields().stream()
        .map(field -> put(key(field), it + "." + field.name() + "()", indent))
        .collect(Collectors.joining());
  }

  private String put(final String type, final String value, final String indent) {
    final String element = element(type);
    if (element != null) {
      return put("int", value + ".size()", indent)
          + "%sfor (final %s each : %s) {%n%s%s}%n"
              .formatted(
                  indent, name(element), value, put(element, "each", indent + "  "), indent);
    } else if (calls.containsKey(type)) {
      return indent + calls.get(type).put.formatted(value) + ";\n";
    }
    final Records.Type other = records.named(type, parent);
    return other.isRecord() ? puts(other, value, indent) : put("enum", value, indent);
  }

  /** A method that reads a record, which one by conditions. */
  String reads(
      final String type,
      final String by,
      final Map<String, Records.Type> conditions,
      final String otherwise) {
    return """

      static %s get(final %s, final %s in)%s {
    %s    %s;
      }
    """
        .formatted(
            type,
            by,
            reader,
            fails,
            conditions.entrySet().stream()
                .map(
                    each ->
                        "    if (%s) {%n      return %s;%n    }%n"
                            .formatted(each.getKey(), gets(each.getValue(), "          ")))
                .collect(Collectors.joining()),
            otherwise);
  }

  private String gets(final Records.Type record, final String indent) {
    return record.fields().stream()
        .map(field -> "\n" + indent + get(key(field), indent + "    "))
        .collect(Collectors.joining(",", "new " + record.name() + "(", ")"));
  }

  private String get(final String type, final String indent) {
    final String element = element(type);
    if (element != null) {
      lists.computeIfAbsent(element, this::list);
      return "listOf" + element + "(in)";
    } else if (calls.containsKey(type)) {
      return calls.get(type).get;
    }
    final Records.Type other = records.named(type, parent);
    return other.isRecord()
        ? gets(other, indent)
        : calls.get("enum").get.formatted(other.name());
  }

  private String list(final String element) {
    return """

      private static List<%1$s> listOf%2$s(final %3$s in)%4$s {
        final List<%1$s> all = new ArrayList<>();
        for (int left = %5$s; left > 0; left--) {
          all.add(%6$s);
        }
        return all;
      }
    """
        .formatted(
            name(element), element, reader, fails, get("int", ""), get(element, "              "));
  }

  /** The methods that those that read refer to. */
  String lists() {
    return String.join("", lists.values());
  }

  private String key(final Records.Field field) {
    if (field.name().equals("version")) {
      return "version";
    }
    return "true".equals(field.says().get("padded")) ? "padded " + field.type() : field.type();
  }

  private String name(final String element) {
    return BOXES.contains(element) ? element : records.named(element, parent).name();
  }

  private static String element(final String type) {
    return type.startsWith("List<") ? type.substring(5, type.length() - 1) : null;
  }
}
