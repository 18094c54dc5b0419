package org.sluice.iop.checkpoint;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sluice.core.posix.FileName;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.Commit;
import org.sluice.core.store.Completion;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Work;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageName;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Warnings;

/**
 * Removes older checkpoints, so that their blocks can be used again. Only those of a series go:
 * checkpoints that all ranks completed in this session, by request or as a group, once enough newer
 * ones follow. What other sessions committed, and what a run commits at its end, may be the only
 * copy of a user's files and stays. Service thread only, but for what is said to be the last
 * stage's.
 */
final class Retention {
  private final Context context;
  private final int keep;
  private final Farewells farewells;
  private final Deque<Kept> series = new ArrayDeque<>();
  private Returns returns = (victim, group, images) -> {};

  /** The numbers of those that files joined after their commit. */
  private final Set<Long> incomplete = new HashSet<>();

  /** Whether the user was warned of a checkpoint that stays. Last stage. */
  private boolean toldOfKept;

  /** A committed checkpoint and its captured images. */
  private record Kept(Commit commit, long place, Set<Image> images) {}

  Retention(final Context context, final Farewells farewells) {
    this.context = context;
    this.keep = context.settings().keep();
    this.farewells = farewells;
  }

  /** Takes images back whose checkpoint stays after all. */
  @FunctionalInterface
  interface Returns {
    /**
     * Does it.
     *
     * @param group that had some of them; null for none
     */
    void take(Commit stays, Group group, List<Image> images);
  }

  void tell(final Returns whom) {
    returns = whom;
  }

  /**
   * Takes over a checkpoint that a former I/O process of this session kept. That one may have been
   * killed while a name of it was set aside.
   */
  void resume(final Commit commit, final Set<Image> images) {
    images.forEach(image -> finish(commit.number(), image));
    add(new Kept(commit, context.state().placeOf(commit), images));
    if (commit.incomplete()) {
      grown(commit.number());
    }
  }

  private void finish(final long number, final Image image) {
    try {
      for (final Entry.Part part : context.state().groups().find(number).members()) {
        if (part.image() == image.id()) {
          ImageName.finish(
              image.held().identity(), FileName.resolve(context.capture().path(), part.path()));
        }
      }
    } catch (final IOException e) {
      Warnings.warn(e.getMessage());
    }
  }

  /** Files joined a checkpoint after its commit, so that it is not the newest. */
  void grown(final long number) {
    incomplete.add(number);
  }

  /**
   * Keeps a checkpoint, and lets the oldest go.
   *
   * @param images its captured images
   */
  void committed(final Commit commit, final List<Image> images) {
    if (keep == 0) {
      return;
    }
    series.removeIf(older -> older.commit.number() == commit.number());
    series.forEach(older -> images.forEach(older.images::remove));
    add(new Kept(commit, context.state().placeOf(commit), new HashSet<>(images)));
    incomplete.remove(commit.number());
    // Files may yet join what a count completed: then the one before is the newest.
    final int stay =
        commit.completion().equals(Optional.of(Completion.COUNT)) ? Math.max(keep, 2) : keep;
    for (final Kept older : olderThan(stay)) {
      series.remove(older);
      incomplete.remove(older.commit.number());
      context.drain().publish(new Removal(older));
    }
  }

  /** Whether a checkpoint of this session is not on its way out of the store. */
  boolean keeps(final Commit commit) {
    return keep == 0 || series.stream().anyMatch(kept -> kept.commit.id() == commit.id());
  }

  /**
   * In the order in which they were decided, on all nodes alike: what nodes wait for may count in
   * another one, and what any of them takes for old goes from all.
   */
  private void add(final Kept kept) {
    final List<Kept> newer = series.stream().filter(other -> other.place > kept.place).toList();
    series.removeAll(newer);
    series.addLast(kept);
    series.addAll(newer);
  }

  /** What is neither of the newest nor of the newest complete ones, the oldest first. */
  private List<Kept> olderThan(final int stay) {
    final List<Kept> older = new ArrayList<>();
    int complete = 0;
    int all = 0;
    for (final Iterator<Kept> i = series.descendingIterator(); i.hasNext(); all++) {
      final Kept one = i.next();
      final boolean counts = !incomplete.contains(one.commit.number());
      if (all >= stay
          && (!counts || complete >= stay)
          && !context.state().isReused(one.commit.number())) {
        older.addFirst(one);
      }
      complete += counts ? 1 : 0;
    }
    return older;
  }

  /**
   * A checkpoint on its way out of the store, behind everything that might still read it.
   *
   * <p>Nothing is touched before it is certain that the checkpoint goes: nobody reads it, and its
   * files have no names that a program gave them to keep them. Then the names go first, since the
   * files they name do not hold the bytes, unless a program outside Sluice has opened them. When
   * that fails it is tried again after the next commit.
   *
   * <p>From the decision on its images are in no group, as others look names up meanwhile.
   */
  private final class Removal implements Work {
    private final Kept victim;
    private final List<Image> known;

    /** That had them; null for none. */
    private final Group group;

    private boolean stays;

    Removal(final Kept victim) {
      this.victim = victim;
      this.known =
          victim.images.stream()
              .filter(image -> context.registry().find(image.id()) != null)
              .filter(image -> image.state() == ImageDescriptor.STATE_COMMITTED)
              .toList();
      known.forEach(image -> image.held().use());
      group = context.state().groups().setAside(victim.commit.number(), known);
    }

    @Override
    public boolean isAwaited() {
      return false;
    }

    @Override
    public void commit() throws IOException {
      // Not asked for once the manifest is locked: a copy that begins then would take it for gone.
      final boolean needed = context.copies() != null && context.copies().need(victim.commit);
      final boolean removed = !needed && context.store().remove(victim.commit, this::mayGo);
      context.service().execute(() -> end(removed));
    }

    @Override
    public void fail(final IOException failure) {
      Warnings.warn(
          "checkpoint %d, which is not to be kept, stays: %s"
              .formatted(victim.commit.number(), failure.getMessage()));
      context.service().execute(() -> end(false));
    }

    private boolean mayGo() throws IOException {
      final Optional<String> kept = unlink(known, victim.commit);
      stays = kept.isPresent();
      if (stays && !toldOfKept) { // once: a program may give each of its files another name
        toldOfKept = true;
        Warnings.warn(
            "checkpoint %d stays, since it has the bytes of %s, and so do all with such a file"
                .formatted(victim.commit.number(), kept.get()));
      }
      if (!stays && context.series() != null) {
        context.series().remove(victim.commit);
      }
      return !stays;
    }

    /** One that a process reads is tried again after the next commit. Service thread. */
    private void end(final boolean removed) {
      if (removed) {
        known.forEach(context.drain()::release);
        known.forEach(farewells::bid);
        context.drain().tidy(false);
        return;
      }
      context.state().groups().endSettingAside(known);
      if (!stays) {
        series.addFirst(victim);
      }
      returns.take(victim.commit, group, known);
    }

    @Override
    public Subject subject() {
      return Subject.REMOVAL;
    }

    @Override
    public long id() {
      return victim.commit.number();
    }
  }

  /**
   * Takes all names from a checkpoint's files, or none: returns one that is none of the
   * checkpoint's. A program may rename them at the same time, so whichever has one still is looked
   * for again. Last stage.
   */
  private Optional<String> unlink(final List<Image> images, final Commit commit)
      throws IOException {
    final CaptureDirectory capture = context.capture();
    final Map<ImageKey, Long> stored =
        context.store().imageFiles(commit).stream()
            .collect(groupingBy(file -> new ImageKey(file.device(), file.inode()), counting()));
    while (true) {
      final Map<String, Image> names = capture.names(images, stored);
      final Optional<String> kept =
          names.keySet().stream()
              .filter(name -> !ImageName.isOurs(name) && !isOf(name, commit.number()))
              .findFirst();
      if (kept.isPresent() || names.isEmpty()) {
        return kept;
      }
      for (final Map.Entry<String, Image> name : names.entrySet()) {
        ImageName.remove(name.getValue().held().identity(), name.getKey());
      }
    }
  }

  private boolean isOf(final String name, final long number) {
    return context.grouping().number(context.capture().relative(name)).stream()
        .anyMatch(named -> named == number);
  }
}
