import java.util.Locale;

/** Names in another style. */
final class Names {
  private Names() {}

  /** Such as in_flight of InFlight. */
  static String snakeCase(final String name) {
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }
}
