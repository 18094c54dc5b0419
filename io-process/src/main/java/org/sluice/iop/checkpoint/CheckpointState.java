package org.sluice.iop.checkpoint;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.sluice.core.libc.Errno;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.RankSet;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.Images;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Fold;

/**
 * The images and the checkpoints they are in, as entries tell, which are applied when they are
 * written. Service thread only.
 */
public final class CheckpointState implements Fold {
  /** The most checkpoints with a failed commit that are remembered. */
  static final int MOST_FAILED = 1000;

  /**
   * The error of a commit that cannot be made in the same round of writing, and is not tried again.
   */
  public static final int REFUSED = Errno.EEXIST;

  private final Images images;
  private final GroupTable groups = new GroupTable();

  /** Number of a commit that was not tried: its checkpoint lacks a file. */
  public static final long NO_ATTEMPT = 0;

  /** Number of the commit of a checkpoint by request that was given up before one was decided. */
  public static final long GIVEN_UP = -1;

  private final Map<Long, ExplicitCheckpoint> underWay = new LinkedHashMap<>();

  /** The checkpoints that processes fill with files, by slot. */
  private final Map<Integer, Entry.Filling> filling = new LinkedHashMap<>();

  private long lastDecided = -1;
  private final Map<Long, Entry.Committing> commits = new LinkedHashMap<>();
  private final Map<Long, Entry.Ended> failed = new LinkedHashMap<>();

  /** The failed commits of an MPI job, by number. */
  private final Map<Long, Entry.Committing> failedWaves = new HashMap<>();

  private final Map<ImageKey, Entry.Lacking> lacks = new LinkedHashMap<>();

  /** The latest decided round and growth of each number. */
  private final NavigableMap<Long, Entry.Written> written = new TreeMap<>();

  /** The group in the store of which a file was closed last; null for none. */
  private Entry.Stored latest;

  /** The commits that are to leave the node, by id. */
  private final Map<Long, Entry.Leaving> leaving = new LinkedHashMap<>();

  private long lastAttempt;

  /** The number of commits under way that have an image, by its id. */
  private final Map<Integer, Integer> committing = new HashMap<>();

  public CheckpointState(final Images images) {
    this.images = images;
  }

  @Override
  public void apply(final Entry entry) {
    final List<Image> concerned = concerned(entry);
    decide(entry);
    images.apply(entry);
    if (entry instanceof final Entry.Entered e) {
      join(e);
    }
    concerned.forEach(groups::update);
  }

  /** The images that are open to others, or another process's, behind an entry. */
  private List<Image> concerned(final Entry entry) {
    final Image image =
        switch (entry) {
          case Entry.Opened e -> images.find(e.image());
          case Entry.Closed e -> images.find(e.image());
          case Entry.Replaced e -> images.find(e.copy());
          default -> null;
        };
    return entry instanceof final Entry.Detached e
        ? images.openOf(e.slot())
        : image == null ? List.of() : List.of(image);
  }

  private void decide(final Entry entry) {
    switch (entry) {
      case Entry.Created e -> create(e);
      case Entry.Changed e when e.state() == ImageDescriptor.STATE_FREE -> {
        final Image image = images.find(e.image());
        if (image != null) {
          forget(image);
        }
      }
      case Entry.Opened e -> {
        final Image image = images.find(e.image());
        if (image != null && e.writes() && images.writer(e.slot()) != null) {
          groups.rewritten(image);
        }
      }
      case Entry.Begun e -> {
        underWay.put(
            e.checkpoint(),
            new ExplicitCheckpoint(e.checkpoint(), e.scope(), givenUp(e.checkpoint())));
        filling.values().forEach(this::beginPart);
        forgetFailure(e.checkpoint());
      }
      case Entry.Filling e -> fill(e);
      case Entry.Added e -> add(e);
      case Entry.Named e when underWay.containsKey(e.checkpoint()) ->
          underWay.get(e.checkpoint()).name(e.name());
      case Entry.Detached e -> filling.remove(e.slot());
      case Entry.Completed e -> {
        filling
            .values()
            .removeIf(its -> its.checkpoint() == e.checkpoint() && its.rank() == e.rank());
        if (underWay.containsKey(e.checkpoint())) {
          underWay.get(e.checkpoint()).complete(e.rank());
        }
      }
      case Entry.Decided e -> decide(e);
      case Entry.Committing e -> decide(e);
      case Entry.Ended e -> end(e);
      case Entry.Replaced e -> replace(images.find(e.image()), images.find(e.copy()));
      case Entry.Grouped e -> enter(e);
      case Entry.Lacking e -> lack(e);
      case Entry.Written e -> written.put(e.checkpoint(), e);
      case Entry.Stored e -> latest = e;
      case Entry.Leaving e when e.round() == Entry.NO_ROUND -> leaving.remove(e.commit());
      case Entry.Leaving e -> leaving.put(e.commit(), e);
      case Entry.Gone e when e.checkpoint() != Entry.NO_CHECKPOINT ->
          groups.gone(e.checkpoint(), e.writing());
      case Entry.Vanished e -> groups.vanished(e.checkpoint());
      case Entry.Counted e -> lastAttempt = e.lastAttempt();
      default -> {}
    }
  }

  /** Returns whether a checkpoint under way has bytes of the committed one of this number. */
  public boolean isReused(final long number) {
    return underWay.values().stream()
        .flatMap(checkpoint -> checkpoint.images().stream())
        .map(Image::created)
        .anyMatch(made -> made.base() == number);
  }

  private void decide(final Entry.Decided e) {
    if (!e.commit()) {
      drop(e.checkpoint());
      return;
    }
    lastDecided = Math.max(lastDecided, e.checkpoint());
    if (underWay.containsKey(e.checkpoint())) {
      underWay.get(e.checkpoint()).decide();
    }
  }

  private void drop(final long number) {
    final ExplicitCheckpoint dropped = underWay.remove(number);
    filling.values().removeIf(each -> each.checkpoint() == number);
    if (dropped != null) {
      dropped.files().forEach(Image::leave);
    }
  }

  /** A file that a process has entered is of the checkpoint that the process fills. */
  private void join(final Entry.Entered e) {
    final Writer process = images.writer(e.slot());
    final Optional<Entry.Filling> its = process == null ? Optional.empty() : filledBy(process);
    if (its.isPresent() && images.find(e.file().image()) != null) {
      apply(new Entry.Added(e.file().image(), its.get().checkpoint(), its.get().rank(), ""));
    }
  }

  /** Returns the checkpoint that a process fills by any of its slots; empty for none. */
  public Optional<Entry.Filling> filledBy(final Writer process) {
    return filling.values().stream()
        .filter(each -> process.isSameProcess(images.writer(each.slot())))
        .findFirst();
  }

  /** Returns the end of a checkpoint by request that was given up; null for none. */
  public Entry.Ended givenUp(final long number) {
    final Entry.Ended end = failed.get(number);
    return end != null && end.attempt() == GIVEN_UP ? end : null;
  }

  private void fill(final Entry.Filling e) {
    if (e.slot() != Lane.NO_SLOT) {
      filling.put(e.slot(), e);
    }
    beginPart(e);
  }

  private void beginPart(final Entry.Filling e) {
    if (underWay.containsKey(e.checkpoint())) {
      underWay.get(e.checkpoint()).begin(e.rank());
    }
  }

  private void add(final Entry.Added e) {
    final Image image = images.find(e.image());
    final ExplicitCheckpoint checkpoint = underWay.get(e.checkpoint());
    if (image == null && checkpoint != null) {
      checkpoint.expect(e.path(), e.rank());
    } else if (image == null) {
      underWay.values().forEach(each -> each.found(e.path()));
    } else {
      forget(image);
      if (checkpoint != null) {
        checkpoint.add(image, e.rank());
        checkpoint.found(e.path());
      }
    }
  }

  private void create(final Entry.Created e) {
    final Image image = images.find(e.image());
    if (image != null) {
      underWay.values().forEach(checkpoint -> checkpoint.remove(image));
      if (underWay.containsKey(e.checkpoint())) {
        underWay.get(e.checkpoint()).add(image, e.rank(), e.name());
      }
    }
  }

  /** A checkpoint by request is over with it; images of a group are in no other one. */
  private void decide(final Entry.Committing e) {
    commits.put(e.attempt(), e);
    e.members().forEach(part -> committing.merge(part.image(), 1, Integer::sum));
    if (e.round() != Entry.NO_ROUND) {
      final Entry.Written last = written.get(e.checkpoint());
      final boolean grows = last != null && last.round() == e.round();
      final long place = grows ? last.place() : e.attempt();
      written.put(e.checkpoint(), new Entry.Written(e.checkpoint(), e.round(), e.growth(), place));
    }
    forgetFailure(e.checkpoint());
    lastAttempt = Math.max(lastAttempt, e.attempt());
    final ExplicitCheckpoint explicit = underWay.get(e.checkpoint());
    if (explicit != null && explicit.isComplete()) {
      underWay.remove(e.checkpoint());
    }
    if (isOfGroup(e) && e.members().stream().allMatch(part -> images.find(part.image()) != null)) {
      final Map<Image, String> paths = new LinkedHashMap<>();
      e.members().forEach(part -> paths.putIfAbsent(images.find(part.image()), part.path()));
      groups.committed(e.checkpoint(), paths);
    }
  }

  private static boolean isOfGroup(final Entry.Committing e) {
    return !e.completion().isByRequest();
  }

  /**
   * Returns whether its program deleted a checkpoint while it was being committed: see {@link
   * #forgetInGroups}.
   */
  private boolean isGone(final Entry.Ended e, final Entry.Committing commit) {
    return e.errno() != REFUSED
        && commit != null
        && isOfGroup(commit)
        && groups.find(e.checkpoint()) == null;
  }

  private void fail(final Entry.Ended e, final Entry.Committing commit) {
    failed.put(e.checkpoint(), e);
    final boolean begunAnew = underWay.containsKey(e.checkpoint());
    if (commit != null && commit.completion() == Completion.MPI && !begunAnew) {
      failedWaves.put(e.checkpoint(), withoutImages(e.checkpoint(), commit));
    }
    if (failed.size() > MOST_FAILED) {
      forgetFailure(failed.keySet().iterator().next());
    }
  }

  private static Entry.Committing withoutImages(final long number, final Entry.Committing commit) {
    return new Entry.Committing(
        commit.attempt(),
        number,
        "",
        Entry.NO_ROUND,
        0,
        0,
        RankSet.NONE,
        commit.completion(),
        "",
        List.of());
  }

  private void forgetFailure(final long number) {
    failed.remove(number);
    failedWaves.remove(number);
  }

  private void end(final Entry.Ended e) {
    if (e.attempt() == GIVEN_UP) {
      drop(e.checkpoint());
    }
    final Entry.Committing commit = commits.remove(e.attempt());
    forgetFailure(e.checkpoint());
    if (e.errno() != 0 && !isGone(e, commit)) {
      fail(e, commit);
      final boolean ofGroup = e.attempt() == NO_ATTEMPT || commit != null && isOfGroup(commit);
      if (ofGroup && e.errno() != REFUSED && groups.find(e.checkpoint()) != null) {
        groups.find(e.checkpoint()).failed();
      }
    }
    if (commit != null) {
      commit
          .members()
          .forEach(part -> committing.computeIfPresent(part.image(), CheckpointState::less));
      commit.members().stream()
          .filter(part -> !part.direct())
          .map(part -> images.find(part.image()))
          .filter(image -> image != null)
          .forEach(image -> image.apply(e));
      if (e.errno() != 0 && !isOfGroup(commit)) {
        imagesOf(commit).filter(image -> !isUnderWay(image)).forEach(Image::leave);
      }
      if (e.errno() == 0) {
        stored(commit).filter(this::isLater).ifPresent(stored -> latest = stored);
      }
    }
  }

  private static Integer less(final int image, final int commits) {
    return commits > 1 ? commits - 1 : null;
  }

  /** Returns whether a commit under way has an image. */
  boolean isCommitting(final Image image) {
    return committing.containsKey(image.id());
  }

  private Stream<Image> imagesOf(final Entry.Committing commit) {
    return commit.members().stream()
        .map(part -> images.find(part.image()))
        .filter(image -> image != null);
  }

  /** A group as its commit stores it; empty for another commit. */
  private Optional<Entry.Stored> stored(final Entry.Committing commit) {
    final OptionalLong closed = imagesOf(commit).mapToLong(Image::closed).max();
    return isOfGroup(commit) && closed.isPresent()
        ? Optional.of(new Entry.Stored(commit.checkpoint(), closed.getAsLong()))
        : Optional.empty();
  }

  private boolean isLater(final Entry.Stored stored) {
    return latest == null || latest.closed() <= stored.closed();
  }

  Optional<Entry.Stored> latest() {
    return Optional.ofNullable(latest);
  }

  /** Groups on their way into the store. */
  Stream<Entry.Stored> storing() {
    return commits.values().stream().flatMap(commit -> stored(commit).stream());
  }

  private void lack(final Entry.Lacking e) {
    final ImageKey key = new ImageKey(e.device(), e.inode());
    if (e.reason() == Reason.NONE.ordinal()) {
      lacks.remove(key);
    } else {
      lacks.put(key, e);
    }
  }

  private void replace(final Image image, final Image copy) {
    if (image != null && copy != null) {
      groups.substitute(image, copy);
    } else if (image != null) {
      forgetInGroups(image);
    }
  }

  private void enter(final Entry.Grouped e) {
    final Group group = new Group(e.checkpoint(), e.changed(), e.rewriting());
    for (final Entry.GroupMember member : e.members()) {
      if (images.find(member.image()) != null) {
        group.enter(images.find(member.image()), member.path(), member.unchanged());
      }
    }
    groups.enter(group);
  }

  /** No checkpoint under way has an image any more, nor any group. */
  void forget(final Image image) {
    underWay.values().forEach(checkpoint -> checkpoint.remove(image));
    forgetInGroups(image);
  }

  /**
   * A checkpoint whose images are all gone is missed by nobody, unless nodes refused it: another
   * node may have written over its files.
   */
  public void forgetInGroups(final Image image) {
    final Group gone = groups.forget(image);
    if (gone != null) {
      final Entry.Ended end = failed.get(gone.number());
      if (end != null && end.errno() != REFUSED) {
        forgetFailure(gone.number());
      }
    }
  }

  /** First the commits, which are about no image yet; then what each part has of its own. */
  @Override
  public void sum(final Consumer<Entry> to) {
    commits.values().forEach(to);
    written.values().forEach(to);
    leaving.values().forEach(to);
    latest().ifPresent(to);
    if (lastDecided >= 0) {
      to.accept(new Entry.Decided(lastDecided, true));
    }
    images.sum(to);
    underWay.values().forEach(checkpoint -> checkpoint.sum(to));
    filling.values().forEach(to);
    failed.forEach(
        (number, end) -> {
          Optional.ofNullable(failedWaves.get(number)).ifPresent(to);
          to.accept(end);
        });
    lacks.values().forEach(to);
    groups.sum(to);
  }

  public Images images() {
    return images;
  }

  /**
   * Returns the highest number of a held checkpoint that was decided to be committed; -1 for none.
   */
  public long lastDecided() {
    return lastDecided;
  }

  /** Returns the number of the last commit that was decided; 0 for none. */
  public long lastAttempt() {
    return lastAttempt;
  }

  /**
   * The round of writing of a checkpoint that is decided now. Other nodes may put their parts in
   * the same round; what this node decides once more in it is a growth, and no part has two.
   *
   * @param anew whether it was written anew since it was decided last
   * @return round and growth, each 0 for the first
   */
  public Entry.Written written(final long number, final boolean anew) {
    final Entry.Written last = written.get(number);
    if (last == null) {
      return new Entry.Written(number, 0, 0, lastAttempt + 1);
    }
    return anew
        ? new Entry.Written(number, last.round() + 1, 0, lastAttempt + 1)
        : new Entry.Written(number, last.round(), last.growth() + 1, last.place());
  }

  /** Returns the latest decided round and growth of a number; null where there is none. */
  public Entry.Written written(final long number) {
    return written.get(number);
  }

  /**
   * Returns whether a number was decided. Where no image of it is left, files that come are written
   * anew.
   */
  public boolean isWritten(final long number) {
    return written.containsKey(number);
  }

  /**
   * The place of a commit among those of the session, as all nodes have it: by when it was decided.
   * Files that joined later, perhaps on one node alone, leave the place as it was.
   */
  public long placeOf(final Commit commit) {
    final Entry.Written last = written.get(commit.number());
    return last != null ? last.place() : commit.identity().sequence();
  }

  /** Returns the count of decided numbers up to this one, which is its place in their order. */
  public int place(final long number) {
    return written.headMap(number, true).size();
  }

  /** Returns the commits that a former I/O process had on their way off the node, by id. */
  public Map<Long, Entry.Leaving> leaving() {
    return leaving;
  }

  /** Returns the commits that were decided and are not known to be over, in their order. */
  public Collection<Entry.Committing> commits() {
    return Collections.unmodifiableCollection(commits.values());
  }

  public GroupTable groups() {
    return groups;
  }

  /** Checkpoints under way that were begun by request, by number. */
  public Map<Long, ExplicitCheckpoint> underWay() {
    return underWay;
  }

  /** Returns whether a checkpoint by request that is under way has a captured file. */
  public boolean isUnderWay(final Image file) {
    return underWay.values().stream().anyMatch(checkpoint -> checkpoint.has(file));
  }

  /**
   * Returns whether a checkpoint by request needs a captured file, or to know that it was deleted.
   */
  boolean isAwaited(final Image file) {
    return underWay.values().stream().anyMatch(checkpoint -> checkpoint.awaits(file));
  }

  /** Returns whether a checkpoint by request waits for files that are yet to be written. */
  public boolean areExpected() {
    return underWay.values().stream().anyMatch(checkpoint -> !checkpoint.expected().isEmpty());
  }

  /** Returns the checkpoints that processes fill with files, by slot. */
  public Map<Integer, Entry.Filling> filling() {
    return filling;
  }

  /**
   * Returns the ends of failed commits by the number of the checkpoint, the oldest first. Left out
   * are those begun anew since, tried again, or deleted before nodes refused them.
   */
  public Map<Long, Entry.Ended> failed() {
    return failed;
  }

  /**
   * Returns the ends of the failed commits that the run has lost. A wave is not lost: its
   * coordinator says so, and makes another.
   */
  public List<Entry.Ended> lost() {
    return failed.values().stream()
        .filter(it -> !failedWaves.containsKey(it.checkpoint()) && !Latecomers.isOne(it))
        .toList();
  }

  /** Files that were written and are no images. */
  public Map<ImageKey, Entry.Lacking> lacks() {
    return lacks;
  }
}
