package org.sluice.core.store.objects;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.store.objects.EngineException.Reason;

/** The engines that this JVM has providers for. */
public final class Engines {
  private static final String DIRECTORY = "file";
  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):/.*");
  private static final Pattern PARTS = Pattern.compile("([^:]+://)(.*)");

  private Engines() {}

  /** Returns whether a user names a store by a URI, and not by a path. */
  public static boolean isUri(final String store) {
    return SCHEME.matcher(store).matches();
  }

  /** Returns one form of a URI that users write in several. */
  public static String canonical(final String uri) {
    final Matcher parts = PARTS.matcher(uri);
    return parts.matches()
        ? parts.group(1).toLowerCase(Locale.ROOT)
            + parts.group(2).replaceAll("/+", "/").replaceFirst("/$", "")
        : uri;
  }

  /**
   * Refuses a store that no engine can have.
   *
   * @throws EngineException when no engine knows the scheme
   */
  public static void requireScheme(final String store) throws EngineException {
    final Matcher uri = SCHEME.matcher(store);
    provider(uri.matches() ? scheme(uri) : DIRECTORY, store);
  }

  /**
   * Opens the engine of a store.
   *
   * @return an engine, which the caller closes
   * @throws IOException when the engine cannot be opened
   */
  public static Engine open(final String store) throws IOException {
    final Matcher uri = SCHEME.matcher(store);
    if (!uri.matches()) {
      return provider(DIRECTORY, store).open(Path.of(store).toUri());
    }
    try {
      return provider(scheme(uri), store).open(new URI(store));
    } catch (final URISyntaxException e) {
      throw new EngineException(
          Reason.ADDRESS,
          "%s is no URI: %s at character %d; write SCHEME://NAME/PREFIX, and %% and two digits for what is not allowed"
              .formatted(store, e.getReason(), e.getIndex() + 1),
          e);
    }
  }

  private static String scheme(final Matcher uri) {
    return uri.group(1).toLowerCase(Locale.ROOT);
  }

  private static EngineProvider provider(final String scheme, final String store)
      throws EngineException {
    final Optional<EngineProvider> one =
        all().filter(each -> each.scheme().equals(scheme)).findFirst(); // reads no more jars
    if (one.isEmpty()) {
      throw new EngineException(
          Reason.ADDRESS,
          "no engine knows %s: of %s; there is %s; a directory of such a name is ./%s"
              .formatted(
                  scheme,
                  store,
                  all()
                      .map(each -> each.scheme() + ":")
                      .sorted()
                      .collect(Collectors.joining(" and ")),
                  store),
          null);
    }
    return one.get();
  }

  private static Stream<EngineProvider> all() {
    return ServiceLoader.load(EngineProvider.class).stream().map(Provider::get);
  }
}
