package org.sluice.core.command;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.sluice.core.posix.Environment;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.Quoting;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The arguments of a command, exact also where they are no UTF-8. */
public final class Arguments {
  /** Variables that are defaults of options. */
  private static final List<String> VARIABLES = List.of("SLUICE_STORE", "SLUICE_CAPTURE");

  private Arguments() {}

  /** Returns the arguments as they were given, see {@link FileName}. */
  static String[] exact(final String... args) throws IOException {
    if (!Environment.mayBeChanged(String.join("", args))) {
      return args;
    }
    final List<String> all = Environment.commandLine();
    return all.subList(all.size() - args.length, all.size()).toArray(String[]::new);
  }

  /**
   * Returns the value of an option as it was given, perhaps by a variable; see {@link FileName}.
   */
  public static String exactValue(final String value) throws IOException {
    for (final String name : VARIABLES) {
      if (Environment.mayBeChanged(value) && value.equals(System.getenv(name))) {
        return Environment.variable(name).orElse(value);
      }
    }
    return value;
  }

  /** Returns a number; anything else is refused. */
  public static <T> T number(final String value, final Function<String, T> type) {
    try {
      return type.apply(value);
    } catch (final NumberFormatException e) {
      throw new TypeConversionException(Quoting.name(value) + " is no number, or out of range");
    }
  }

  /** Converts paths of Sluice's own files, which Java can only have in UTF-8. */
  static final class PathConverter implements ITypeConverter<Path> {
    @Override
    public Path convert(final String value) throws IOException {
      final Path path = path(exactValue(value));
      if (!path.isAbsolute() && Environment.mayBeChanged(System.getProperty("user.dir"))) {
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
