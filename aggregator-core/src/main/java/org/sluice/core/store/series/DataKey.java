package org.sluice.core.store.series;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.store.node.PosixReader;

/**
 * The key of an object that a node puts before its part: {@code data/<begin>-<node>/<name>}.
 *
 * @param begin sequence of the run's begin
 * @param node name of the node, as keys have it
 * @param name name that the node gives the object
 */
public record DataKey(long begin, String node, String name) {
  /** The prefix of all data. */
  public static final String FOLDER = "data/";

  private static final Pattern TEXT = Pattern.compile(FOLDER + "(\\d{1,18})-([^/]+)/(.+)");

  public static Optional<DataKey> parse(final String key) {
    final Matcher text = TEXT.matcher(key);
    return text.matches()
        ? Optional.of(new DataKey(Long.parseLong(text.group(1)), text.group(2), text.group(3)))
        : Optional.empty();
  }

  /** The prefix of all data of a node in a run. */
  static String folder(final long begin, final String node) {
    return "%s%d-%s/".formatted(FOLDER, begin, node);
  }

  /** Returns the key of the object that says how far a node had read the log when it ended. */
  public static DataKey ended(final long begin, final String node) {
    return new DataKey(begin, node, PosixReader.ENDED);
  }

  /** Returns whether this is the object that a node leaves at its end. */
  public boolean isEnded() {
    return name.equals(PosixReader.ENDED);
  }

  @Override
  public String toString() {
    return folder(begin, node) + name;
  }
}
