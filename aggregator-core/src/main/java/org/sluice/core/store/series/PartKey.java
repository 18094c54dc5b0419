package org.sluice.core.store.series;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.store.model.RankSet;

/**
 * The key of a part: {@code part/<number>-<begin>-<round>/<node>+<growth>.<ranks>}, without the
 * growth where that is 0. So a list alone says which ranks have put theirs, and which are to. Ranks
 * that do not fit into one name go on in further ones.
 *
 * @param number the checkpoint's number
 * @param begin the sequence of its run's begin
 * @param round how many times the run had written this number before
 * @param node the node's name, as far as a key can have it
 * @param growth how many times files had joined it on that node in this round; the newest counts
 * @param ranks the ranks whose images it has
 * @param coverage what the checkpoint must cover besides
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

  /** Of the ranks in one name. Parts that are there were named so: another number finds none. */
  private static final int MOST = 120;

  /** Of a host's name: with growth, ranks and coverage it fits into 255 bytes. */
  private static final int MOST_OF_HOST = 100;

  private static final Pattern TEXT =
      Pattern.compile(FOLDER + "(\\d{1,18})-(\\d{1,18})-(\\d{1,18})/(.+)");
  private static final Pattern NAME =
      Pattern.compile(
          "([A-Za-z0-9._%-]{1," + MOST + "})(?:\\+(\\d{1,18}))?\\.([0-9,+/-]*[0-9])((?:=|/~).+)?");
  private static final Pattern TOO_LONG = Pattern.compile("(.{1," + MOST + "}),");

  /**
   * Reads a key.
   *
   * @param key any key
   * @return empty when it is none of a part
   */
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
   * A part of a job all of whose ranks have images.
   *
   * @param number the checkpoint's number
   * @param begin the sequence of its run's begin
   * @param round how many times the run had written this number before
   * @param node the node's name, as far as a key can have it
   * @param growth how many times files had joined it on that node in this round
   * @param ranks the ranks whose images it has
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

  /**
   * The same of a checkpoint that must cover something else.
   *
   * @param other what
   * @return its key
   */
  public PartKey covering(final RequiredRanks other) {
    return new PartKey(number, begin, round, node, growth, ranks, other);
  }

  /** Reads its name. */
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

  /**
   * The prefix of all parts of one checkpoint.
   *
   * @param number the checkpoint's number
   * @param begin the sequence of its run's begin
   * @param round the round
   * @return ends in a slash
   */
  public static String folder(final long number, final long begin, final long round) {
    return "%s%010d-%d-%d/".formatted(FOLDER, number, begin, round);
  }

  /**
   * A node's name as keys have it.
   *
   * @param host its host's name
   * @return each character that a key cannot have as a hyphen; the end of a long name
   */
  public static String node(final String host) {
    final String end = host.substring(Math.max(0, host.length() - MOST_OF_HOST));
    return end.replaceAll("[^A-Za-z0-9._-]", "-").replaceFirst("^\\.", "-");
  }

  /**
   * What a commit calls it: all behind its folder.
   *
   * @return node, growth, ranks and coverage
   */
  public String name() {
    return node + (growth == 0 ? "" : "+" + growth) + "." + split(ranks.compact()) + coverage;
  }

  /** In several names, where it does not fit into one. */
  static String split(final String text) {
    return text.length() <= MOST ? text : TOO_LONG.matcher(text).replaceAll("$1/");
  }

  /**
   * With what the keys of its data begin where an engine has them, see {@code PartCopy}.
   *
   * @return ends in a slash; a number follows, from 0
   */
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
