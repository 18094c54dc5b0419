package org.sluice.iop.retention;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sluice.core.posix.FileName;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Keeping;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.CheckpointSettings;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.Group;
import org.sluice.iop.checkpoint.ImageRelease;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.drain.Work;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageName;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Retained;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/**
 * The removal of older checkpoints once enough newer ones follow, so that their space can be used
 * again. All checkpoints of the store or the series count. Checkpoints of earlier runs are older
 * than all of this session. A checkpoint goes only when a newer one exists, so the newest never
 * does. Service thread only, but for methods that name the last stage.
 */
public final class Retention {
  private final CheckpointSettings settings;
  private final CheckpointStorage storage;
  private final CheckpointState state;
  private final CapturedFiles files;
  private final Drain drain;
  private final Statistics statistics;
  private final Keeping keep;
  private final ImageRelease releases;
  private final IncrementalBudget budget;
  private final Deque<Kept> series = new ArrayDeque<>();
  private Returns returns = (victim, group, images) -> {};

  /** True once checkpoints of earlier runs are counted, or were asked for. */
  private boolean knowsEarlier;

  /** The number of removals and other works on their way. */
  private int underWay;

  /** The numbers of checkpoints that files joined after their commit. */
  private final Set<Long> incomplete = new HashSet<>();

  /** True once the user was warned of a checkpoint that stays. Last stage. */
  private boolean toldOfKept;

  public Retention(
      final CheckpointSettings settings,
      final CheckpointStorage storage,
      final CheckpointState state,
      final CapturedFiles files,
      final Drain drain,
      final Statistics statistics,
      final ImageRelease releases) {
    this.settings = settings;
    this.storage = storage;
    this.state = state;
    this.files = files;
    this.drain = drain;
    this.statistics = statistics;
    final Keeping told = settings.keep();
    this.keep = storage.publisher().hasStage() ? told.ofStage() : told;
    this.releases = releases;
    this.budget = new IncrementalBudget(told, storage, drain);
  }

  /** A receiver of images whose checkpoint stays after all. */
  @FunctionalInterface
  public interface Returns {
    /**
     * Takes back the images of a checkpoint that stays.
     *
     * @param group group that had some of the images; null for none
     */
    void take(Commit stays, Group group, List<Image> images);
  }

  /** Returns the space of checkpoints that use bytes of removed ones. */
  public IncrementalBudget budget() {
    return budget;
  }

  public void tell(final Returns whom) {
    returns = whom;
  }

  /**
   * Takes over a checkpoint that a former I/O process of this session kept. A kill may have come
   * while a name of it was set aside.
   */
  public void resume(final Commit commit, final Set<Image> images) {
    images.forEach(image -> finish(commit.number(), image));
    add(own(commit, new HashSet<>(images))); // later commits take images out of it
    if (commit.incomplete()) {
      grown(commit.number());
    }
  }

  private Kept own(final Commit commit, final Set<Image> images) {
    return new Kept(commit, state.placeOf(commit), images);
  }

  private void finish(final long number, final Image image) {
    try {
      for (final Entry.Part part : state.groups().find(number).members()) {
        if (part.image() == image.id()) {
          ImageName.finish(
              image.held().identity(), FileName.resolve(files.capture().path(), part.path()));
        }
      }
    } catch (final IOException e) {
      Warnings.warn(e.getMessage());
    }
  }

  /** Notes that files joined a checkpoint after its commit, so that it is incomplete. */
  public void grown(final long number) {
    incomplete.add(number);
  }

  /** Keeps a checkpoint, and removes the oldest. */
  public void committed(final Commit commit, final List<Image> images) {
    if (keep.isAll() && !drain.layout().commitsNames()) {
      return;
    }
    series.removeIf(older -> older.commit().number() == commit.number());
    series.forEach(older -> images.forEach(older.images()::remove));
    add(own(commit, new HashSet<>(images)));
    incomplete.remove(commit.number());
    if (commit.coverage().part().isEmpty() || commit.coverage().part().list().contains(0)) {
      lookAtEarlier(); // among the nodes of a series the one of rank 0 looks
    }
    letGo();
    lookAtFiles(false);
  }

  /**
   * Removes checkpoints of which a program has deleted files in place.
   *
   * @param all whether to look at each; else the search ends at the oldest one that is whole
   */
  public void lookAtFiles(final boolean all) {
    if (drain.layout().commitsNames() && !series.isEmpty()) {
      publish(new Deletions(storage, List.copyOf(series), all, gone -> end(() -> forget(gone))));
    }
  }

  /**
   * Looks at earlier runs at the start, where no other node can remove checkpoints. So the first
   * commit already knows the ones to remove.
   */
  public void begin() {
    if (!storage.publisher().awaitsNodes()) {
      lookAtEarlier();
    }
  }

  private void lookAtEarlier() {
    // The search for deleted files of earlier runs is not worth reading the parts of all nodes.
    final boolean looks =
        keep.isAll() && drain.layout().commitsNames() && !storage.publisher().awaitsNodes();
    if ((keep.countsEarlier() || looks) && !knowsEarlier) {
      knowsEarlier = true;
      publish(new Look());
    }
  }

  private void letGo() {
    if (series.isEmpty() || keep.isAll()) {
      return;
    }
    final List<Kept> older =
        Keeping.dispensable(
            keep.atLeast(series.getLast().commit().completion()),
            List.copyOf(series),
            one -> !incomplete.contains(one.number()));
    older.removeIf(one -> state.isReused(one.number()));
    for (final Kept one : older) {
      series.remove(one);
      incomplete.remove(one.number());
      publish(new Removal(one));
    }
  }

  private void publish(final Work work) {
    underWay++;
    drain.publish(work);
  }

  public boolean isIdle() {
    return underWay == 0;
  }

  /** Reports, at the end, the kept checkpoints. In a series one node does. */
  public void report() {
    final Retained retained = statistics.retained();
    if (storage.publisher().hasStage()) {
      storage.publisher().uploads().report(retained);
    } else if (!storage.publisher().awaitsNodes() || knowsEarlier) {
      retained.kept(series.stream().map(kept -> kept.commit().number()).toList(), keep.most());
    }
  }

  /**
   * Adds checkpoints of earlier runs, which are older than all of this one, in their order.
   * Checkpoints of another simulation stay.
   */
  private void addEarlier(final List<Commit> earlier) {
    for (final Commit commit : earlier) {
      if (!storage.predecessors().isOfAnother(commit.source().origin())
          && series.stream().noneMatch(kept -> kept.commit().number() == commit.number())) {
        add(new Kept(commit, Long.MIN_VALUE + commit.identity().sequence(), new HashSet<>()));
        if (commit.incomplete()) {
          grown(commit.number());
        }
      }
    }
    if (series.stream().anyMatch(kept -> !kept.isEarlier())) {
      letGo(); // a checkpoint of this session is committed
    }
  }

  /** A look at the checkpoints of earlier runs. */
  private final class Look implements Work {
    @Override
    public boolean isAwaited() {
      return false;
    }

    @Override
    public void commit() throws IOException {
      final List<Commit> all = storage.publisher().earlier(storage.sessionId());
      end(() -> addEarlier(all));
    }

    @Override
    public void fail(final IOException failure) {
      Warnings.warn(
          "checkpoints of earlier runs stay, as they cannot be read: " + failure.getMessage());
      end(() -> {});
    }
  }

  private void forget(final List<Kept> gone) {
    series.removeAll(gone);
    gone.forEach(one -> statistics.retained().deleted(one.number()));
  }

  private void end(final Runnable step) {
    drain
        .service()
        .execute(
            () -> {
              underWay--;
              step.run();
            });
  }

  /** Returns whether a checkpoint of this session is not on its way out of the store. */
  public boolean keeps(final Commit commit) {
    return keep.isAll() || series.stream().anyMatch(kept -> kept.commit().id() == commit.id());
  }

  /**
   * Adds a checkpoint in the order of decision, which is the same on all nodes. A checkpoint may
   * count late on another node, and what one node takes for old is removed from all.
   */
  private void add(final Kept kept) {
    final List<Kept> newer = series.stream().filter(other -> other.place() > kept.place()).toList();
    series.removeAll(newer);
    series.addLast(kept);
    series.addAll(newer);
  }

  /**
   * A checkpoint on its way out of the store, behind all work that might still read it.
   *
   * <p>Nothing is touched before it is certain that the checkpoint goes. No process may read it,
   * and no program may have given its files names to keep them. Then the names go first, since the
   * files themselves do not hold the bytes, unless a program outside Sluice has opened them. A
   * removal that fails is tried again after the next commit.
   *
   * <p>From the decision on, the checkpoint's images are in no group, as others look names up
   * meanwhile.
   */
  private final class Removal implements Work {
    private final Kept victim;
    private final List<Image> known;

    /** The group that had the images; null for none. */
    private final Group group;

    private boolean stays;

    Removal(final Kept victim) {
      this.victim = victim;
      this.known =
          victim.images().stream()
              .filter(image -> files.registry().find(image.id()) != null)
              .filter(
                  image -> image.state() == ImageDescriptor.STATE_COMMITTED || isUnchanged(image))
              .toList();
      known.forEach(image -> image.held().use());
      group = state.groups().setAside(victim.commit().number(), known);
    }

    /**
     * Returns whether the image's file in place is as it was committed, and no process has it open.
     */
    private boolean isUnchanged(final Image image) {
      final Group its = state.groups().of(image);
      return image.isNamedBy(drain.layout())
          && its != null
          && image.openers().isEmpty()
          && its.unchanged().contains(image);
    }

    @Override
    public boolean isAwaited() {
      return false;
    }

    @Override
    public void commit() throws IOException {
      final CheckpointNames names =
          new CheckpointNames(
              storage.store(), files.capture(), settings.grouping(), victim.commit(), images());
      final boolean removed = victim.remove(storage, () -> mayGo(names));
      Retention.this.end(() -> end(removed));
      if (removed && !settings.keep().isAll()) { // for a stage, only its copy may be gone
        names.removeInPlace();
      }
    }

    @Override
    public void fail(final IOException failure) {
      Warnings.warn(
          "checkpoint %d, which is not to be kept, stays: %s"
              .formatted(victim.commit().number(), failure.getMessage()));
      Retention.this.end(() -> end(false));
    }

    /**
     * Returns the images of the checkpoint; none when its index cannot be read, so that its files
     * in place stay.
     */
    private List<CommittedImage> images() {
      try {
        return victim.stored(storage);
      } catch (final IOException damagedOrRemoved) {
        return List.of();
      }
    }

    private boolean mayGo(final CheckpointNames names) throws IOException {
      final Optional<String> kept = names.remove(known);
      stays = kept.isPresent();
      if (stays && !toldOfKept) { // once: a program may give each of its files another name
        toldOfKept = true;
        Warnings.warn(
            "checkpoint %d stays, since it has the bytes of %s, and so do all with such a file"
                .formatted(victim.commit().number(), kept.get()));
      }
      return !stays;
    }

    /**
     * Ends the removal. A checkpoint that a process reads is tried again after the next commit.
     * Service thread.
     */
    private void end(final boolean removed) {
      if (removed) {
        statistics.retained().removed(victim.commit().number());
        known.forEach(drain::release);
        known.forEach(releases::release);
        drain.tidy(false);
        return;
      }
      state.groups().endSettingAside(known);
      if (!stays) {
        series.addFirst(victim);
      }
      returns.take(victim.commit(), group, known);
    }

    @Override
    public Subject subject() {
      return Subject.REMOVAL;
    }

    @Override
    public long id() {
      return victim.commit().number();
    }
  }
}
