package org.sluice.core.store.series;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.store.model.RankSet;

/**
 * What a part says that its checkpoint must cover, besides its own ranks. By itself that is all
 * ranks of the job.
 *
 * @param closed the ranks that a marker closes over, no others; none where no marker completes it
 * @param local how many ranks it stands for, as some of its node's write nothing; 0 for its own
 */
public record RequiredRanks(RankSet closed, int local) {
  /** All ranks of the job have parts. */
  public static final RequiredRanks ALL = new RequiredRanks(RankSet.NONE, 0);

  private static final int MOST = 1 << 24;
  private static final Pattern TEXT = Pattern.compile("(?:=(\\d{1,8}))?(?:/~([0-9,+/-]+))?");

  /**
   * The ranks that a marker closes over.
   *
   * @param ranks at least one
   * @return the coverage
   */
  public static RequiredRanks closing(final RankSet ranks) {
    return new RequiredRanks(ranks, 0);
  }

  /**
   * Some ranks of a node write for all of it.
   *
   * @param local how many there are
   * @return the coverage
   */
  public static RequiredRanks standingFor(final int local) {
    return new RequiredRanks(RankSet.NONE, local);
  }

  /**
   * Reads what {@link #toString} wrote.
   *
   * @param text how a key ends
   * @return empty when it is something else
   */
  public static Optional<RequiredRanks> parse(final String text) {
    final Matcher match = TEXT.matcher(text);
    if (!match.matches()) {
      return Optional.empty();
    }
    final int local = match.group(1) == null ? 0 : Integer.parseInt(match.group(1));
    final Optional<RankSet> closed =
        match.group(2) == null
            ? Optional.of(RankSet.NONE)
            : RankSet.parse(match.group(2).replace('/', ','));
    return closed.filter(any -> local <= MOST).map(ranks -> new RequiredRanks(ranks, local));
  }

  /** As it ends a key: nothing for all. */
  @Override
  public String toString() {
    return (local == 0 ? "" : "=" + local)
        + (closed.isEmpty() ? "" : "/~" + PartKey.split(closed.compact()));
  }
}
