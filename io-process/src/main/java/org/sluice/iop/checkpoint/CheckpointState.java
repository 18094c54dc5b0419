package org.sluice.iop.checkpoint;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.Images;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Fold;

/**
 * The images and the checkpoints they are in, as entries tell, which are applied when they are
 * written. Service thread only.
 */
public final class CheckpointState implements Fold {
  /** How many checkpoints are remembered whose commit failed. */
  static final int MOST_FAILED = 1000;

  private final Images images;
  private final GroupTable groups = new GroupTable();
  private final Map<Long, ExplicitCheckpoint> underWay = new LinkedHashMap<>();
  private final Map<Long, Entry.Committing> commits = new LinkedHashMap<>();
  private final Map<Long, Entry.Ended> failed = new LinkedHashMap<>();
  private final Map<ImageKey, Entry.Lacking> lacks = new LinkedHashMap<>();

  /** By number, how many times it was written before that was decided last. */
  private final NavigableMap<Long, Long> rounds = new TreeMap<>();

  /** By the ids of commits, the rounds of what is to leave the node. */
  private final Map<Long, Long> leaving = new LinkedHashMap<>();

  private long lastAttempt;

  /**
   * A session without checkpoints.
   *
   * @param images the images; entries about them are passed on
   */
  public CheckpointState(final Images images) {
    this.images = images;
  }

  @Override
  public void apply(final Entry entry) {
    final List<Image> concerned = concerned(entry);
    decide(entry);
    images.apply(entry);
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
          underWay.values().forEach(checkpoint -> checkpoint.remove(image));
          forgetInGroups(image);
        }
      }
      case Entry.Opened e -> {
        final Image image = images.find(e.image());
        if (image != null && e.writes() && images.writer(e.slot()) != null) {
          groups.rewritten(image);
        }
      }
      case Entry.Begun e -> {
        underWay.put(e.checkpoint(), new ExplicitCheckpoint(e.checkpoint(), e.scope()));
        failed.remove(e.checkpoint());
      }
      case Entry.Completed e -> {
        if (underWay.containsKey(e.checkpoint())) {
          underWay.get(e.checkpoint()).complete(e.rank());
        }
      }
      case Entry.Committing e -> decide(e);
      case Entry.Ended e -> end(e);
      case Entry.Replaced e -> replace(images.find(e.image()), images.find(e.copy()));
      case Entry.Grouped e -> enter(e);
      case Entry.Lacking e -> lack(e);
      case Entry.Written e -> rounds.put(e.checkpoint(), e.round());
      case Entry.Leaving e when e.round() == Entry.NO_ROUND -> leaving.remove(e.commit());
      case Entry.Leaving e -> leaving.put(e.commit(), e.round());
      case Entry.Counted e -> lastAttempt = e.lastAttempt();
      default -> {}
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
    if (e.round() != Entry.NO_ROUND) {
      rounds.put(e.checkpoint(), e.round());
    }
    failed.remove(e.checkpoint());
    lastAttempt = Math.max(lastAttempt, e.attempt());
    final ExplicitCheckpoint explicit = underWay.get(e.checkpoint());
    if (explicit != null && explicit.isComplete()) {
      underWay.remove(e.checkpoint());
    }
    if (isOfGroup(e) && e.members().stream().allMatch(part -> images.find(part.image()) != null)) {
      final Map<Image, String> paths = new LinkedHashMap<>();
      e.members().forEach(part -> paths.put(images.find(part.image()), part.path()));
      groups.committed(e.checkpoint(), paths);
    }
  }

  /** A checkpoint without images was made by request. An image may have gone since. */
  private boolean isOfGroup(final Entry.Committing e) {
    return !e.ungrouped()
        && !e.members().isEmpty()
        && e.members().stream()
            .map(part -> images.find(part.image()))
            .noneMatch(image -> image != null && image.created() != null);
  }

  private void end(final Entry.Ended e) {
    final Entry.Committing commit = commits.remove(e.attempt());
    failed.remove(e.checkpoint());
    if (!e.succeeded()) {
      failed.put(e.checkpoint(), e);
      if (failed.size() > MOST_FAILED) {
        failed.remove(failed.keySet().iterator().next());
      }
      final boolean ofGroup =
          e.attempt() == Entry.NO_ATTEMPT || commit != null && isOfGroup(commit);
      if (ofGroup && groups.find(e.checkpoint()) != null) {
        groups.find(e.checkpoint()).failed();
      }
    }
    if (commit != null) {
      commit.members().stream()
          .map(part -> images.find(part.image()))
          .filter(image -> image != null)
          .forEach(image -> image.apply(e));
    }
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

  /** A checkpoint whose images are all gone is missed by nobody. */
  void forgetInGroups(final Image image) {
    final Group gone = groups.forget(image);
    if (gone != null) {
      failed.remove(gone.number());
    }
  }

  /** First the commits, which are about no image yet; then what each part has of its own. */
  @Override
  public void sum(final Consumer<Entry> to) {
    commits.values().forEach(to);
    rounds.forEach((number, round) -> to.accept(new Entry.Written(number, round)));
    leaving.forEach((commit, round) -> to.accept(new Entry.Leaving(commit, round)));
    images.sum(to);
    underWay.values().forEach(checkpoint -> checkpoint.sum(to));
    failed.values().forEach(to);
    lacks.values().forEach(to);
    groups.all().forEach(group -> to.accept(group.sum()));
  }

  /**
   * The images.
   *
   * @return all of the session
   */
  public Images images() {
    return images;
  }

  /**
   * The number of the last commit that was decided.
   *
   * @return 0 for none
   */
  public long lastAttempt() {
    return lastAttempt;
  }

  /**
   * The round of writing of a checkpoint that is decided now. One that failed is tried in the same
   * round again, in which other nodes may have put their parts; no part has two rounds.
   *
   * @param number its number
   * @param anew whether it was written anew since it was decided last
   * @return 0 for the first
   */
  long round(final long number, final boolean anew) {
    final Long last = rounds.get(number);
    return last == null ? 0 : last + (anew || !failed.containsKey(number) ? 1 : 0);
  }

  /** How many numbers were decided up to one, in the order of numbers. */
  int place(final long number) {
    return rounds.headMap(number, true).size();
  }

  /** What a former I/O process had on its way off the node: rounds by the ids of commits. */
  Map<Long, Long> leaving() {
    return leaving;
  }

  /**
   * The commits that were decided and are not known to be over.
   *
   * @return in their order
   */
  public Collection<Entry.Committing> commits() {
    return Collections.unmodifiableCollection(commits.values());
  }

  GroupTable groups() {
    return groups;
  }

  /** Checkpoints under way that were begun by request, by number. */
  Map<Long, ExplicitCheckpoint> underWay() {
    return underWay;
  }

  /**
   * How commits ended that failed, by the number of the checkpoint, the oldest first: of those that
   * were neither begun anew since, nor tried again, nor deleted.
   */
  Map<Long, Entry.Ended> failed() {
    return failed;
  }

  /** Files that were written and are no images. */
  Map<ImageKey, Entry.Lacking> lacks() {
    return lacks;
  }
}
