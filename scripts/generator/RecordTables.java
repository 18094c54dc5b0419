import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Tables of records and enums, as their sources and the Javadoc there declare them. */
final class RecordTables {
  private static final Path STORE =
      Path.of("aggregator-core/src/main/java/org/sluice/core/store/model");
  private static final Path ENTRY =
      Path.of("io-process/src/main/java/org/sluice/iop/journal/Entry.java");
  private static final Path TRACE = Path.of("profiling/src/main/java/org/sluice/profile/trace");
  private static final Map<String, String> TYPES =
      Map.of(
          "int", "i32", "Integer", "i32", "long", "i64", "boolean", "flag", "String", "string",
          "RankSet", "string");

  private final Records records;
  private final Set<String> said = new HashSet<>();

  private RecordTables(final Path... sources) {
    try {
      records = Records.of(sources);
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A table by its name in the document; null when it is of no record. */
  static String named(final String name) {
    return switch (name) {
      case "journal" ->
          new RecordTables(
                  ENTRY, ENTRY.resolveSibling("Cause.java"), STORE.resolve("ChunkLocation.java"), STORE.resolve("Completion.java"))
              .entries();
      case "index_chunk" -> new RecordTables(STORE.resolve("ChunkLocation.java")).rows();
      case "index_block" -> new RecordTables(STORE.resolve("Block.java")).rows();
      case "trace_calls" -> new RecordTables(TRACE.resolve("Call.java")).codes();
      case "trace_routes" -> new RecordTables(TRACE.resolve("Route.java")).codes();
      default -> null;
    };
  }

  private String entries() {
    final List<Records.Type> entries = records.of("Entry");
    return "| type | | fields |\n|---|---|---|\n"
        + IntStream.range(0, entries.size())
            .mapToObj(i -> entry(i + 1, entries.get(i)))
            .collect(Collectors.joining());
  }

  private String entry(final int type, final Records.Type entry) {
    final String fields = fields(entry);
    return "| %d | %s: %s | %s |%n"
        .formatted(type, title(entry), entry.meaning(), fields.isEmpty() ? "none" : fields);
  }

  private static String title(final Records.Type type) {
    final String name = type.name().substring(type.name().lastIndexOf('.') + 1);
    return Names.snakeCase(name).toUpperCase(Locale.ROOT);
  }

  private String fields(final Records.Type type) {
    return type.fields().stream().map(this::field).collect(Collectors.joining(", "));
  }

  /** Describes a field, with its meaning where it comes first. */
  private String field(final Records.Field field) {
    final String name = Names.snakeCase(field.name());
    final String text = name + " " + type(field.type());
    return said.add(name + field.meaning()) && !field.meaning().isEmpty()
        ? text + " (" + field.meaning() + ")"
        : text;
  }

  private String type(final String type) {
    if (TYPES.containsKey(type)) {
      return TYPES.get(type);
    }
    if (type.startsWith("List<")) {
      return "list of " + type(type.substring("List<".length(), type.length() - 1));
    }
    final Records.Type nested = records.named(type, "Entry");
    if (!nested.isRecord()) {
      return "i32 " + values(nested);
    }
    return nested.is().isEmpty() ? "{" + fields(nested) + "}" : "as " + title(nested);
  }

  private static String values(final Records.Type type) {
    return IntStream.range(0, type.fields().size())
        .mapToObj(i -> i + " " + type.fields().get(i).name())
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private String rows() {
    return only().fields().stream()
        .map(field -> "| %s | %s | %s |%n".formatted(
            type(field.type()), Names.snakeCase(field.name()), field.meaning()))
        .collect(Collectors.joining("", "| type | field | |\n|---|---|---|\n", ""));
  }

  private String codes() {
    final List<Records.Field> codes = only().fields();
    return IntStream.range(0, codes.size())
        .mapToObj(i -> "| %d | %s | %s |%n".formatted(
            i, codes.get(i).name().toLowerCase(Locale.ROOT), codes.get(i).meaning()))
        .collect(Collectors.joining("", "| code | | |\n|---|---|---|\n", ""));
  }

  private Records.Type only() {
    return records.all().iterator().next();
  }
}
