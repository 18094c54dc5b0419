package org.sluice.core.store.series;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.store.model.RankSet;

/**
 * The ranks that a checkpoint must cover by a part of it, besides the part's own ranks. Without
 * more these are all ranks of the job.
 *
 * @param closed the ranks that a marker closes over, no others; none where no marker completes it
 * @param local number of ranks that the part stands for, as some of its node's write nothing; 0 for
 *     its own
 */
public record RequiredRanks(RankSet closed, int local) {
  /** The coverage of a job all of whose ranks have parts. */
  public static final RequiredRanks ALL = new RequiredRanks(RankSet.NONE, 0);

  private static final int MOST = 1 << 24;
  private static final Pattern TEXT = Pattern.compile("(?:=(\\d{1,8}))?(?:/~([0-9,+/-]+))?");

  /** Returns the coverage of a marker that closes over ranks. */
  public static RequiredRanks closing(final RankSet ranks) {
    return new RequiredRanks(ranks, 0);
  }

  /** Returns the coverage of a node where some ranks write for all its ranks. */
  public static RequiredRanks standingFor(final int local) {
    return new RequiredRanks(RankSet.NONE, local);
  }

  /** Reads a coverage that {@link #toString} wrote; empty for any other text. */
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

  /** Returns the coverage as it ends a key: nothing for all ranks. */
  @Override
  public String toString() {
    return (local == 0 ? "" : "=" + local)
        + (closed.isEmpty() ? "" : "/~" + PartKey.split(closed.compact()));
  }
}
