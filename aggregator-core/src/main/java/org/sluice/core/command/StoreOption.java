package org.sluice.core.command;

import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import org.sluice.core.store.objects.Engines;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The option every subcommand that works on a store shares. */
public final class StoreOption implements SharedOptions {
  private static final String DIRECTORY = "file:/";

  private Store store;

  /**
   * The store that the user gave.
   *
   * @param path null for a URI of anything but a directory
   */
  private record Store(String text, Path path) {

    /** The text, asked for at each start: the JVM would link a method of its own each time. */
    @Override
    public String toString() {
      return text;
    }
  }

  @Override
  public void addTo(final Model model) {
    model.add(
        option(Store.class, value -> store = value, "--store")
            .paramLabel("STORE")
            .required(true)
            .defaultValue("${env:SLUICE_STORE}")
            .converters(new StoreConverter())
            .description(
                "The store: a directory, or a URI such as s3://BUCKET/PREFIX; default: environment"
                    + " SLUICE_STORE."));
  }

  /** Returns a directory's path or a URI, as given. */
  public String location() {
    return store.text();
  }

  /** Returns a directory's absolute path, or a URI. */
  public String absolute() {
    return isElsewhere() ? store.text() : store.path().toAbsolutePath().toString();
  }

  /** Tells whether the store is at a URI of anything but a directory. */
  public boolean isElsewhere() {
    return store.path() == null;
  }

  /**
   * @throws CommandException when it is no directory
   */
  public Path directory() {
    if (isElsewhere()) {
      throw new CommandException(
          ExitStatus.USAGE,
          "%s is no directory, as this needs one; give another --store".formatted(store.text()));
    }
    return store.path();
  }

  /** Tells paths from URIs. */
  private static final class StoreConverter implements ITypeConverter<Store> {
    private final Arguments.PathConverter paths = new Arguments.PathConverter();

    @Override
    public Store convert(final String value) throws IOException {
      if (value.toLowerCase(Locale.ROOT).startsWith(DIRECTORY)) {
        return new Store(value, ofUri(value));
      }
      return new Store(value, Engines.isUri(value) ? null : paths.convert(value));
    }

    private static Path ofUri(final String value) {
      try {
        return Path.of(URI.create(value));
      } catch (final IllegalArgumentException e) {
        throw new TypeConversionException(
            value + " names no directory: " + e.getMessage() + "; give its path");
      }
    }
  }
}
