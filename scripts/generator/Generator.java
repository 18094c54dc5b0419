import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes what C and the documentation say after Java: the layout of the formats and the options of
 * the commands. It changes the files that are not as they should be, below the working directory,
 * and names them; with {@code --check} it only names them and fails.
 */
final class Generator {
  private static final Path C = Path.of("blcr-bridge", "src", "generated", "c");

  private Generator() {}

  public static void main(final String[] args) throws IOException {
    final boolean checks = args.length > 0 && args[0].equals("--check");
    boolean current = true;
    for (final Map.Entry<Path, String> each : files().entrySet()) {
      final Path file = each.getKey();
      if (!Files.exists(file) || !Files.readString(file).equals(each.getValue())) {
        current = false;
        System.out.println(file);
        if (!checks) {
          Files.writeString(file, each.getValue());
        }
      }
    }
    System.exit(checks && !current ? 1 : 0);
  }

  private static Map<Path, String> files() throws IOException {
    final Map<Path, String> files = new LinkedHashMap<>();
    files.put(C.resolve("sluice_layout.h"), CHeader.text());
    files.put(C.resolve("sluice_commands.h"), Commands.text());
    final Path document = Path.of("docs", "format.md");
    files.put(document, Tables.filled(Files.readString(document)));
    return files;
  }
}
