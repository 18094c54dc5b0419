package org.sluice.iop.group;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.series.RequiredRanks;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.CommitRanks;
import org.sluice.iop.checkpoint.Group;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.Writer;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.shared.DirectoryLists;

/**
 * The markers in a directory that nodes share, which a process of another node may have written. A
 * node looks for a marker once its own files of the checkpoint are closed. A program writes a
 * marker when all files that it covers are closed. So the names of these files exist when the
 * marker's name does. A list begun after that tells the ranks whose parts a commit needs. Service
 * thread only, but for {@link Walk}.
 *
 * <p>A marker in the first list begun after the opening of a round's first file belongs to an
 * earlier round. No clock tells: an image that is written anew is another file, and only other
 * files have a time that their program alone changes.
 *
 * <p>Lists are taken beside the service thread ({@link DirectoryLists}). The result is looked at
 * once all rings were read again, so that all files opened before a marker are known. A file
 * written anew while a commit waits for its list begins another round: then the found markers no
 * longer count.
 */
public final class SharedMarkers {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Found NOTHING = new Found(RankSet.NONE, List.of(), false);

  private final Grouping grouping;
  private final CapturedFiles files;
  private final Publisher publisher;
  private final RecheckSchedule rechecks;
  private final DirectoryLists<Map<Long, Found>> lists;
  private final Map<Long, Search> searches = new HashMap<>();

  /** A marker at some moment. */
  private record Mark(ImageKey key, Instant modified) {}

  /** A file that may be a marker. For a file with a rank the time does not count. */
  private record Candidate(Mark mark, OptionalLong rank) {}

  /** The files of a checkpoint in a list, and whether some of them are no markers. */
  private record Found(RankSet ranks, List<Candidate> candidates, boolean hasFiles) {
    Found with(final Found more) {
      final List<Candidate> all = new ArrayList<>(candidates);
      all.addAll(more.candidates);
      return new Found(ranks.with(more.ranks), all, hasFiles || more.hasFiles);
    }
  }

  /** The state of the search for one checkpoint's markers. */
  private static final class Search {
    /** The first list that counts. If the round has just begun, its markers are old. */
    private long first;

    private boolean isBegun = true;

    /** The lists that are waited for: for a marker, and for a commit; 0 for none. */
    private long asked;

    private long closing;

    /** The last opening for writing before the commit began to wait, see {@link Image#written}. */
    private long written;

    /** The last list taken, and the last list looked at. */
    private long listed;

    private long looked;
    private Found found = NOTHING;
    private Set<Mark> marks = new HashSet<>();
    private final Set<Mark> old = new HashSet<>();

    /**
     * The ranks found so far. The set never shrinks, though a node that ends removes the names of
     * its committed files.
     */
    private RankSet ranks = RankSet.NONE;

    private long pause = FIRST_PAUSE_NANOS;

    private boolean isOver() {
      return !old.containsAll(marks);
    }

    private boolean isAsking() {
      return listed < Math.max(asked, closing);
    }
  }

  /** A list of the files of some checkpoints, taken on another thread. Its fields never change. */
  private record Walk(CaptureDirectory capture, Grouping grouping, Set<Long> numbers)
      implements DirectoryLists.Walk<Map<Long, Found>> {
    @Override
    public Map<Long, Found> list() throws PosixException {
      final Map<Long, Found> all = new HashMap<>();
      capture.names().forEach((key, paths) -> paths.forEach(path -> note(key, path, all)));
      return all;
    }

    private void note(final ImageKey key, final String path, final Map<Long, Found> all) {
      final String relative = capture.relative(path);
      final OptionalLong number = grouping.number(relative);
      if (number.isPresent() && numbers.contains(number.getAsLong())) {
        final OptionalLong rank = grouping.rank(relative);
        final IntStream ranks =
            rank.stream().mapToInt(its -> Math.clamp(its, -1, Integer.MAX_VALUE));
        final boolean marks = grouping.marks(relative);
        final List<Candidate> candidates = marks ? candidates(key, path, rank) : List.of();
        all.merge(
            number.getAsLong(), new Found(RankSet.of(ranks), candidates, !marks), Found::with);
      }
    }

    private static List<Candidate> candidates(
        final ImageKey key, final String path, final OptionalLong rank) {
      try {
        final Instant modified = rank.isEmpty() ? FileStatus.of(path).modified() : Instant.EPOCH;
        return List.of(new Candidate(new Mark(key, modified), rank));
      } catch (final PosixException renamedOrDeletedMeanwhile) {
        return List.of(); // the file is no marker, or the next list finds its other name
      }
    }
  }

  public SharedMarkers(
      final Grouping grouping,
      final CapturedFiles files,
      final Publisher publisher,
      final Executor service,
      final RecheckSchedule rechecks) {
    this.grouping = grouping;
    this.files = files;
    this.publisher = publisher;
    this.rechecks = rechecks;
    this.lists =
        new DirectoryLists<>(
            () -> new Walk(files.capture(), grouping, Set.copyOf(searches.keySet())),
            service,
            System::nanoTime,
            this::take,
            this::failed);
  }

  private boolean apply() {
    return publisher.awaitsNodes() && grouping.hasMarkers();
  }

  private boolean apply(final Group group) {
    return apply() && isOfSeveralNodes(group);
  }

  private static boolean isOfSeveralNodes(final Group group) {
    return group.images().stream().map(Image::writer).anyMatch(Writer::isOfSeveralNodes);
  }

  private Search search(final Group group) {
    return searches.computeIfAbsent(group.number(), any -> new Search());
  }

  /** Notes that the first file of a checkpoint is opened. */
  void begin(final long number) {
    if (apply()) {
      final Search search = new Search();
      searches.put(number, search); // before the walk is told the numbers
      search.isBegun = false;
      search.asked = lists.ask();
      search.first = search.asked;
    }
  }

  /** Notes that a file of a checkpoint was opened or closed. */
  void looked(final long number, final Image image) {
    final Search search = searches.get(number);
    if (search != null && search.closing != 0 && image.written() > search.written) {
      search.old.addAll(search.marks);
      search.closing = 0;
    }
  }

  private void take(final long ordinal, final Map<Long, Found> list) {
    searches.forEach(
        (number, search) -> {
          if (search.isAsking()) {
            rechecks.changed(number);
          }
          if (ordinal >= search.first) {
            take(search, ordinal, list.getOrDefault(number, NOTHING));
          }
        });
  }

  private void take(final Search search, final long ordinal, final Found found) {
    search.listed = ordinal;
    search.found = found;
    search.ranks = search.ranks.with(found.ranks);
    if (!search.isBegun) {
      search.isBegun = true;
      search.old.addAll(marks(found));
    }
  }

  private void failed(final PosixException failure) {
    Warnings.warn("cannot look for markers: " + failure.getMessage());
    searches.forEach(
        (number, search) -> {
          if (search.isAsking()) {
            search.asked = 0;
            search.closing = 0;
            rechecks.wake(number, rechecks.now() + LAST_PAUSE_NANOS);
          }
        });
  }

  /** Looks for a marker that completes a checkpoint, if its time has come. */
  void look(final Group group) {
    if (!isAwaited(group)) {
      return;
    }
    final Search search = search(group);
    search.closing = 0;
    if (search.isBegun && search.looked < search.listed) {
      search.looked = search.listed;
      search.marks = marks(search.found);
      search.pause = Math.min(LAST_PAUSE_NANOS, search.pause + search.pause / 2);
    } else if (!search.isAsking() && !lists.areOfLate()) {
      search.asked = lists.ask();
    }
    if (!search.isOver()) {
      rechecks.wake(group.number(), rechecks.now() + search.pause);
    }
  }

  /**
   * Returns whether a checkpoint is complete: its marker exists, or the required ranks have written
   * the required files.
   */
  boolean complete(final Group group) {
    return (group.isWhole(grouping) || isThere(group)) && !marksNothing(group);
  }

  /**
   * Returns whether a checkpoint has nothing but its marker. In a bucket a node does not know the
   * files of other nodes.
   */
  boolean marksNothing(final Group group) {
    final Search search = searches.get(group.number());
    return group.isMarkerAlone()
        && (apply(group) ? search == null || !search.found.hasFiles : !isOfSeveralNodes(group));
  }

  /** Returns whether a marker for this round was found, written on whichever node. */
  boolean isThere(final Group group) {
    final Search search = searches.get(group.number());
    return search != null && search.isOver();
  }

  /** Returns whether only another node's marker is missing. */
  private boolean isAwaited(final Group group) {
    return group.hasChanged() && group.isQuiet() && apply(group) && !complete(group);
  }

  /**
   * Returns whether the ranks are known that a complete checkpoint must cover. If not, a list is
   * asked for, and the checkpoint is looked at again after that.
   */
  boolean isCovered(final Group group) {
    if (!apply() || group.commitRanks(grouping).part().isEmpty()) {
      return true;
    }
    final Search search = search(group);
    if (search.closing == 0) {
      search.closing = lists.ask();
      search.written = group.images().stream().mapToLong(Image::written).max().orElse(0);
    }
    return search.listed >= search.closing;
  }

  /**
   * Returns whether a checkpoint waits for another node's marker, or for the ranks that the marker
   * covers.
   */
  boolean holdUp(final Group group) {
    return isAwaited(group)
        || group.hasChanged() && group.isQuiet() && complete(group) && !isCovered(group);
  }

  private Set<Mark> marks(final Found found) {
    final Set<Mark> marks = new HashSet<>();
    for (final Candidate one : found.candidates) {
      if (!isOpenHere(one.mark.key) && (one.rank.isEmpty() || !isHere(one.rank.getAsLong()))) {
        marks.add(one.mark);
      }
    }
    return marks;
  }

  /**
   * Returns whether a rank runs on this node. Its marker is an image, which may be known only by
   * name so far.
   */
  private boolean isHere(final long rank) {
    return files.registry().all().stream().anyMatch(image -> image.writer().rank() == rank);
  }

  private boolean isOpenHere(final ImageKey key) {
    final Image image = files.registry().find(key);
    return image != null && !image.openers().isEmpty();
  }

  /**
   * Returns the ranks of a commit that is decided now, with ranks of other nodes' parts where the
   * marker covers them.
   */
  CommitRanks close(final Group group) {
    final CommitRanks ranks = group.commitRanks(grouping);
    if (ranks.part().isEmpty() || !publisher.awaitsNodes()) {
      return ranks;
    }
    if (!grouping.hasMarkers()) {
      final int local = grouping.writers() == 0 ? 0 : localRanks(group);
      return local > 0 ? ranks.covering(RequiredRanks.standingFor(local)) : ranks;
    }
    final Search search = search(group);
    search.old.addAll(marks(search.found));
    search.closing = 0;
    search.pause = FIRST_PAUSE_NANOS;
    final RankSet ofJob = RankSet.of(IntStream.range(0, ranks.ranks()));
    final RankSet others = ofJob.without(ofJob.without(search.ranks));
    return ranks.covering(RequiredRanks.closing(ranks.part().with(others)));
  }

  private static int localRanks(final Group group) {
    return group.images().stream().mapToInt(image -> image.writer().localRanks()).max().orElse(0);
  }
}
