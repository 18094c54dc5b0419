package org.sluice.iop.checkpoint;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.PosixException;
import org.sluice.core.series.Coverage;
import org.sluice.core.store.RankSet;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.Writer;
import org.sluice.iop.measure.Warnings;

/**
 * Markers in a directory that nodes share, which a process of another node may have written. A node
 * looks for one once its own files of the checkpoint are closed. A program writes a marker when all
 * files are closed that it closes over. So their names are there when its own is, and tell the
 * ranks whose parts a commit needs. Service thread only.
 *
 * <p>One that is there when the first file of a round is opened closes over an earlier round. No
 * clock tells: an image that is written anew is another file, and only other files have a time that
 * their program alone changes.
 */
final class SharedMarkers {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Context context;
  private final Grouping grouping;
  private final LatestNames names;
  private final Map<Long, Search> searches = new HashMap<>();

  /** A marker as it is at some moment. */
  private record Mark(ImageKey key, Instant modified) {}

  /** What is known of a checkpoint. */
  private static final class Search {
    private Set<Mark> marks = new HashSet<>();
    private final Set<Mark> old = new HashSet<>();

    /** Never fewer: a node that ends takes the names of its committed files away. */
    private RankSet ranks = RankSet.NONE;

    private long pause = FIRST_PAUSE_NANOS;

    private boolean isOver() {
      return !old.containsAll(marks);
    }
  }

  SharedMarkers(final Context context) {
    this.context = context;
    this.grouping = context.grouping();
    this.names = new LatestNames(() -> context.capture().names(), System::nanoTime);
  }

  private boolean apply() {
    return context.series() != null && grouping.hasMarkers();
  }

  private boolean apply(final Group group) {
    return apply() && group.images().stream().map(Image::writer).anyMatch(Writer::isOfSeveralNodes);
  }

  /** The first file of a checkpoint is opened. */
  void begin(final long number) {
    if (apply()) {
      final Search search = new Search();
      searches.put(number, search);
      look(number, search, names::now);
      search.old.addAll(search.marks);
    }
  }

  /**
   * Looks for a marker that completes a checkpoint, if it is time to.
   *
   * @param pauses has it looked for again
   */
  void look(final Group group, final Pauses pauses) {
    if (isAwaited(group)) {
      final Search search = searches.computeIfAbsent(group.number(), any -> new Search());
      look(group.number(), search, names::ofLate);
      if (!search.isOver()) {
        search.pause = Math.min(LAST_PAUSE_NANOS, search.pause + search.pause / 2);
        pauses.wake(group.number(), pauses.now() + search.pause);
      }
    }
  }

  /** Whether its marker is there, or as many ranks as are to have written as many images. */
  boolean complete(final Group group) {
    return group.isWhole(grouping) || isThere(group);
  }

  /** Whether a marker was found that a process of whichever node has written for this round. */
  boolean isThere(final Group group) {
    final Search search = searches.get(group.number());
    return search != null && search.isOver();
  }

  /** Whether only such a marker is missing. */
  boolean isAwaited(final Group group) {
    return group.hasChanged() && group.isQuiet() && apply(group) && !complete(group);
  }

  private void look(final long number, final Search search, final LatestNames.Walk list) {
    final Set<Mark> marks = new HashSet<>();
    try {
      final Map<ImageKey, List<String>> listed = list.names();
      search.ranks =
          search.ranks.with(
              RankSet.of(listed.values().stream().flatMapToInt(all -> ranks(number, all))));
      listed.forEach((key, all) -> all.forEach(path -> note(number, key, path, marks)));
      search.marks = marks;
    } catch (final PosixException e) {
      Warnings.warn("cannot look for the marker of checkpoint " + number + ": " + e.getMessage());
    }
  }

  private IntStream ranks(final long number, final List<String> paths) {
    return paths.stream()
        .map(context.capture()::relative)
        .filter(path -> grouping.number(path).stream().anyMatch(its -> its == number))
        .flatMapToInt(path -> grouping.rank(path).stream().mapToInt(Math::toIntExact));
  }

  private void note(
      final long number, final ImageKey key, final String path, final Set<Mark> marks) {
    final String relative = context.capture().relative(path);
    if (grouping.marks(relative)
        && grouping.number(relative).stream().anyMatch(its -> its == number)
        && !isOpenHere(key)) {
      try {
        final OptionalLong rank = grouping.rank(relative);
        if (rank.isEmpty()) {
          marks.add(new Mark(key, FileStatus.of(path).modified()));
        } else if (!isHere(rank.getAsLong())) {
          marks.add(new Mark(key, Instant.EPOCH));
        }
      } catch (final PosixException renamedOrDeletedMeanwhile) {
        // it is none, or found under its other name by the next look
      }
    }
  }

  /** What a rank of this node marks is an image, and may be known by its name only so far. */
  private boolean isHere(final long rank) {
    return context.registry().all().stream().anyMatch(image -> image.writer().rank() == rank);
  }

  private boolean isOpenHere(final ImageKey key) {
    final Image image = context.registry().find(key);
    return image != null && !image.openers().isEmpty();
  }

  /** The ranks of a commit that is decided now, and those that other nodes are to put. */
  CommitRanks close(final Group group) {
    final CommitRanks ranks = group.commitRanks(grouping);
    if (ranks.part().isEmpty() || context.series() == null) {
      return ranks;
    }
    if (!grouping.hasMarkers()) {
      final int local = grouping.writers() == 0 ? 0 : localRanks(group);
      return local > 0 ? ranks.covering(Coverage.standingFor(local)) : ranks;
    }
    final Search search = searches.computeIfAbsent(group.number(), any -> new Search());
    look(group.number(), search, names::now);
    search.old.addAll(search.marks);
    search.pause = FIRST_PAUSE_NANOS;
    final RankSet ofJob = RankSet.of(IntStream.range(0, ranks.ranks()));
    final RankSet others = ofJob.without(ofJob.without(search.ranks));
    return ranks.covering(Coverage.closing(ranks.part().with(others)));
  }

  private static int localRanks(final Group group) {
    return group.images().stream().mapToInt(image -> image.writer().localRanks()).max().orElse(0);
  }
}
