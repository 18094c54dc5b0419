package org.sluice.core.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.Quoting;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The command line and the environment as they are. Java changes what is no UTF-8 in them, and says
 * nothing.
 */
public final class Arguments {
  /** What Java puts in the place of what it cannot read. */
  private static final String CHANGED = "\ufffd";

  private static final String OWN = "SLUICE_";

  private Arguments() {}

  /**
   * The command line as it was called.
   *
   * @param args what Java made of it
   * @return the same arguments, see {@link FileName}
   * @throws IOException when the kernel does not tell
   */
  static String[] exact(final String... args) throws IOException {
    if (!String.join("", args).contains(CHANGED)) {
      return args;
    }
    final List<String> all = strings("cmdline");
    return all.subList(all.size() - args.length, all.size()).toArray(String[]::new);
  }

  /**
   * The value of an option as the user gave it, be it by a variable of Sluice's.
   *
   * @param value of the exact command line, or what Java made of the variable
   * @return the same, see {@link FileName}
   * @throws IOException when the kernel does not tell
   */
  public static String exactValue(final String value) throws IOException {
    if (value.contains(CHANGED)) {
      for (final String variable : strings("environ")) {
        final String name = variable.substring(0, Math.max(0, variable.indexOf('=')));
        if (name.startsWith(OWN) && value.equals(System.getenv(name))) {
          return variable.substring(name.length() + 1);
        }
      }
    }
    return value;
  }

  private static List<String> strings(final String file) throws IOException {
    final byte[] bytes = Files.readAllBytes(Path.of("/proc/self", file));
    return List.of(FileName.decode(bytes).split("\0", -1)).subList(0, count(bytes));
  }

  private static int count(final byte... bytes) {
    int count = 0;
    for (final byte b : bytes) {
      count += b == 0 ? 1 : 0;
    }
    return count;
  }

  /** Paths of what is Sluice's own, which Java can only have in UTF-8. */
  static final class PathConverter implements ITypeConverter<Path> {
    @Override
    public Path convert(final String value) throws IOException {
      final Path path = path(exactValue(value));
      if (!path.isAbsolute() && System.getProperty("user.dir").contains(CHANGED)) {
        path(Names.target("/proc/self/cwd"));
      }
      return path;
    }

    private static Path path(final String value) {
      try {
        return Path.of(value);
      } catch (final InvalidPathException e) {
        throw new TypeConversionException(
            Quoting.name(value)
                + " is no UTF-8; name it by an absolute path that is, such as that of a symbolic"
                + " link to it");
      }
    }
  }
}
