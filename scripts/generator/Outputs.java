import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The files that are generated. */
final class Outputs {
  private Outputs() {}

  /**
   * Changes the files that are not as they should be, below the working directory, and names them;
   * with {@code --check} it only names them and fails.
   */
  static void write(final Map<Path, String> files, final String... options) throws IOException {
    final boolean checks = options.length > 0 && options[0].equals("--check");
    boolean current = true;
    for (final Map.Entry<Path, String> each : files.entrySet()) {
      final Path file = each.getKey();
      if (!Files.exists(file) || !Files.readString(file).equals(each.getValue())) {
        current = false;
        System.out.println(file);
        if (!checks) {
          Files.createDirectories(file.getParent());
          Files.writeString(file, each.getValue());
        }
      }
    }
    System.exit(checks && !current ? 1 : 0);
  }
}
