package org.sluice.iop.publish;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.core.posix.Names;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Keeping;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.series.IdleDetector;
import org.sluice.core.store.stage.StagePlace;
import org.sluice.core.store.stage.StageRemains;
import org.sluice.iop.measure.Warnings;

/**
 * The checkpoints that earlier runs of this node have on its stage. A run that is fenced can copy
 * nothing any more, and this one does not do it in its place: its program may go on from an older
 * checkpoint, which what is copied now would supersede. So the stage is the only place of it, and
 * keeps it until this run has as many newer ones in the bucket as are to be kept.
 *
 * <p>A process of such a run may live that does not know yet that it is fenced, and settles its
 * files from there. All is guarded by this.
 */
final class EarlierRuns {
  /** The time that a killed process may take to be resumed. */
  private static final Duration AT_REST = Duration.ofMinutes(1);

  private final StagePlace place;
  private final SeriesView view;
  private final Keeping keep;
  private final IdleDetector<Path> uses = new IdleDetector<>(EarlierRuns::lastUsed, AT_REST);

  /** The treatment of an earlier run's place. */
  private interface Step {
    void take(Path earlier) throws IOException;
  }

  private boolean due;

  /** True once as many newer ones count as are to be kept. */
  private boolean superseded;

  public EarlierRuns(final StagePlace place, final SeriesView view, final Keeping keep) {
    this.place = place;
    this.view = view;
    this.keep = keep;
  }

  /** Says, as this run begins, what only the stage has. */
  public synchronized void tell() {
    each(
        "what an earlier run has on the stage cannot be told",
        earlier -> {
          isLeft(earlier); // from here on
          final List<Commit> uncopied = uncopied(earlier);
          if (!uncopied.isEmpty()) {
            Warnings.warn(
                "an earlier run has checkpoints only on this node, in %s: %s; %s, sluice restore --store of that directory gives them back"
                    .formatted(earlier, numbers(uncopied), until(uncopied)));
          }
        });
  }

  private String until(final List<Commit> uncopied) {
    return keep.isAll()
        ? "until you delete it"
        : "until %d newer ones of one run are in the bucket".formatted(keep.most());
  }

  /** Takes a step for each earlier run; a failure with one holds up no other. */
  private void each(final String otherwise, final Step step) {
    try {
      for (final Path earlier : place.earlier()) {
        try {
          step.take(earlier);
        } catch (final IOException e) {
          Warnings.warn(otherwise + ": " + e.getMessage());
        }
      }
    } catch (final IOException e) {
      Warnings.warn(otherwise + ": " + e.getMessage());
    }
  }

  /**
   * A checkpoint of this run counts.
   *
   * @param enough whether as many do as are to be kept
   */
  public synchronized void counts(final boolean enough) {
    due = true;
    superseded |= enough;
    look();
  }

  /** Looks again at what was in use. */
  public synchronized void look() {
    if (!due) {
      return;
    }
    due = false;
    each(
        "what an earlier run has on the stage stays",
        earlier -> {
          if (isLeft(earlier)) {
            removeIfNothingStays(earlier);
          } else {
            due = true;
          }
        });
  }

  /** A process that is stopped changes nothing, and goes on one day. */
  private boolean isLeft(final Path earlier) throws IOException {
    final boolean rests = StagePlace.isEnded(earlier) || uses.is(earlier);
    return rests && !StagePlace.isUsed(earlier);
  }

  private static Instant lastUsed(final Path earlier) throws IOException {
    try (PosixStore store = PosixStore.open(earlier)) {
      return store.lastUsed();
    } catch (final NoStoreException | NoSuchFileException none) {
      return Instant.EPOCH;
    }
  }

  private List<Commit> uncopied(final Path earlier) throws IOException {
    return StageRemains.uncopied(
        earlier, (its, commit) -> view.has(its.begin(), its.node(), commit));
  }

  private void removeIfNothingStays(final Path earlier) throws IOException {
    final List<Commit> uncopied = uncopied(earlier);
    if (!superseded && !uncopied.isEmpty()) {
      return;
    }
    // Its format goes before what is in it: who is killed in this leaves no store.
    for (final Path path : Names.deepestFirst(earlier)) {
      Files.delete(path);
    }
    if (!uncopied.isEmpty()) {
      Warnings.warn(
          "checkpoints %s of an earlier run go from the stage, where alone they were: as many newer ones count as --keep %d says"
              .formatted(numbers(uncopied), keep.most()));
    }
  }

  private static String numbers(final Collection<Commit> commits) {
    return commits.stream()
        .map(commit -> String.valueOf(commit.number()))
        .collect(Collectors.joining(", "));
  }
}
