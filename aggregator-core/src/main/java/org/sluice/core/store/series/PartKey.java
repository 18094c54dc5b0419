package org.sluice.core.store.series;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.store.model.RankSet;

/**
 * The key of a part: {@code part/<number>-<begin>-<round>/<node>+<growth>.<ranks>}, without the
 * growth where that is 0. So a list alone says which ranks have put their parts, and which are
 * missing. Ranks that do not fit into one name continue in further names.
 *
 * @param begin sequence of its run's begin
 * @param round number of times that the run had written this number before
 * @param node name of the node, as far as a key can have it
 * @param growth number of times that files had joined the checkpoint on that node in this round;
 *     the newest counts
 * @param coverage ranks that the checkpoint must cover besides
 */
public record PartKey(
    long number,
    long begin,
    long round,
    String node,
    long growth,
    RankSet ranks,
    RequiredRanks coverage) {
  /** The prefix of all parts. */
  public static final String FOLDER = "part/";

  /**
   * The most bytes of ranks in one name. Existing parts were named so: another number finds none of
   * them.
   */
  private static final int MOST = 120;

  /**
   * The most characters of a host's name. With growth, ranks and coverage it fits into 255 bytes.
   */
  private static final int MOST_OF_HOST = 100;

  private static final Pattern TEXT =
      Pattern.compile(FOLDER + "(\\d{1,18})-(\\d{1,18})-(\\d{1,18})/(.+)");
  private static final Pattern NAME =
      Pattern.compile(
          "([A-Za-z0-9._%-]{1," + MOST + "})(?:\\+(\\d{1,18}))?\\.([0-9,+/-]*[0-9])((?:=|/~).+)?");
  private static final Pattern TOO_LONG = Pattern.compile("(.{1," + MOST + "}),");

  /** {@return the part's key; empty for a key of something else} */
  public static Optional<PartKey> parse(final String key) {
    final Matcher text = TEXT.matcher(key);
    return text.matches()
        ? parse(
            Long.parseLong(text.group(1)),
            Long.parseLong(text.group(2)),
            Long.parseLong(text.group(3)),
            text.group(4))
        : Optional.empty();
  }

  /**
   * Creates the key of a part of a job all of whose ranks have images.
   *
   * @param growth number of times that files had joined the checkpoint on that node in this round
   */
  public PartKey(
      final long number,
      final long begin,
      final long round,
      final String node,
      final long growth,
      final RankSet ranks) {
    this(number, begin, round, node, growth, ranks, RequiredRanks.ALL);
  }

  public PartKey covering(final RequiredRanks other) {
    return new PartKey(number, begin, round, node, growth, ranks, other);
  }

  static Optional<PartKey> parse(
      final long number, final long begin, final long round, final String name) {
    final Matcher match = NAME.matcher(name);
    if (!match.matches()) {
      return Optional.empty();
    }
    final String coverage = match.group(4) == null ? "" : match.group(4);
    return RankSet.parse(match.group(3).replace('/', ','))
        .flatMap(
            ranks ->
                RequiredRanks.parse(coverage)
                    .map(
                        all ->
                            new PartKey(
                                number,
                                begin,
                                round,
                                match.group(1),
                                growth(match.group(2)),
                                ranks,
                                all)));
  }

  private static long growth(final String text) {
    return text == null ? 0 : Long.parseLong(text);
  }

  /** Returns the prefix of all parts of one checkpoint. */
  public static String folder(final long number, final long begin, final long round) {
    return "%s%010d-%d-%d/".formatted(FOLDER, number, begin, round);
  }

  /**
   * Returns a node's name as keys have it.
   *
   * @return the name, with a hyphen for each character that a key cannot have; only the end of a
   *     long name
   */
  public static String node(final String host) {
    final String end = host.substring(Math.max(0, host.length() - MOST_OF_HOST));
    return end.replaceAll("[^A-Za-z0-9._-]", "-").replaceFirst("^\\.", "-");
  }

  /** Returns the name of the part in a commit: the key without its folder. */
  public String name() {
    return node + (growth == 0 ? "" : "+" + growth) + "." + split(ranks.compact()) + coverage;
  }

  /** Splits a text into several names, where it does not fit into one. */
  static String split(final String text) {
    return text.length() <= MOST ? text : TOO_LONG.matcher(text).replaceAll("$1/");
  }

  /** Returns the prefix of the part's data in an engine, see {@code PartCopy}. */
  public String data() {
    return new DataKey(
            begin, node, "%010d-%d%s/".formatted(number, round, growth == 0 ? "" : "+" + growth))
        .toString();
  }

  @Override
  public String toString() {
    return folder(number, begin, round) + name();
  }
}
