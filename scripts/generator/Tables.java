import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.RecordDescriptor;
import org.sluice.core.format.Field;
import org.sluice.core.format.Structure;
import org.sluice.core.request.PieceDescriptor;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.InFlightDescriptor;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.SlotDescriptor;
import org.sluice.core.store.format.ContainerDescriptor;
import org.sluice.core.store.format.LogDescriptor;
import org.sluice.profile.trace.PartDescriptor;

/**
 * Fills the tables of {@code docs/format.md}. A table stands between the comments {@code table:
 * NAME} and {@code end}, and begins behind the first.
 */
final class Tables {
  private static final Pattern PLACE =
      Pattern.compile("(<!-- table: (\\S+) -->\n).*?(<!-- end -->)", Pattern.DOTALL);

  private static final Map<String, Structure> STRUCTURES =
      Stream.of(
              HeaderDescriptor.HEADER,
              SlotDescriptor.SLOT,
              RingDescriptor.RECORD,
              RingDescriptor.CHUNK,
              RingDescriptor.CLOSE,
              RingDescriptor.OPEN,
              RingDescriptor.TRAILER,
              ImageDescriptor.ENTRY,
              ChunkDescriptor.CHUNK,
              RecordDescriptor.RECORD,
              PieceDescriptor.PIECE,
              InFlightDescriptor.HEADER,
              ContainerDescriptor.BLOCK,
              LogDescriptor.RECORD,
              PartDescriptor.HEADER)
          .collect(Collectors.toMap(Structure::name, Function.identity()));

  private Tables() {}

  /** A document with its tables as they should be. */
  static String filled(final String document) {
    return PLACE
        .matcher(document)
        .replaceAll(
            place ->
                Matcher.quoteReplacement(place.group(1) + table(place.group(2)) + place.group(3)));
  }

  private static String table(final String name) {
    if (name.equals("requests")) {
      return Messages.table();
    }
    final String ofRecords = RecordTables.named(name);
    if (ofRecords != null) {
      return ofRecords;
    }
    final Structure structure = STRUCTURES.get(name);
    if (structure == null) {
      throw new IllegalArgumentException("docs/format.md has a table of no structure: " + name);
    }
    return table(structure);
  }

  private static String table(final Structure structure) {
    final List<Field> fields = structure.fields();
    final boolean writers = fields.stream().anyMatch(field -> !field.writer().isEmpty());
    final StringBuilder out = new StringBuilder();
    out.append("| offset | type | field | |").append(writers ? " writer |" : "");
    out.append("\n|---|---|---|---|").append(writers ? "---|" : "").append('\n');
    for (final Field field : fields) {
      out.append("| %d | %s | `%s` |".formatted(field.offset(), type(field), field.name()));
      out.append(field.meaning().isEmpty() ? "" : " " + field.meaning()).append(" |");
      out.append(writers ? " " + field.writer() + " |" : "").append('\n');
    }
    return out.toString();
  }

  private static String type(final Field field) {
    final boolean row = field.count() > 1 && field.type() != Field.Type.STRING;
    return field.type().label() + (row ? "[" + field.count() + "]" : "");
  }
}
