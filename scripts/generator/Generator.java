import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes what C and the documentation say after Java: the layout of the formats and the options of
 * the commands.
 */
final class Generator {
  private static final Path GENERATED = Path.of("src", "generated", "c");
  private static final Path CORE = Path.of("aggregator-core").resolve(GENERATED);
  private static final Path BRIDGE = Path.of("blcr-bridge").resolve(GENERATED);

  private Generator() {}

  public static void main(final String[] args) throws IOException {
    final Map<Path, String> files = new LinkedHashMap<>();
    files.put(CORE.resolve("sluice_layout.h"), CHeader.text());
    files.put(BRIDGE.resolve("sluice_commands.h"), Commands.text());
    files.put(BRIDGE.resolve("sluice_mpi_kinds.h"), Controls.text());
    final Path document = Path.of("docs", "format.md");
    files.put(document, Tables.filled(Files.readString(document)));
    Outputs.write(files, args);
  }
}
