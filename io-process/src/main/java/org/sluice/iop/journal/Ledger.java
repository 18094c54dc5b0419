package org.sluice.iop.journal;

import java.nio.BufferUnderflowException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.sluice.core.segment.ImageDescriptor;

/** What the entries of a journal add up to. Not thread-safe. */
public final class Ledger {
  private final boolean inPlace;
  private final Map<Integer, Entry.Attached> slots = new LinkedHashMap<>();
  private final Map<Integer, Long> positions = new TreeMap<>();
  private final Map<Integer, Entry> lastRequests = new TreeMap<>();
  private final Map<Integer, ImageFacts> images = new LinkedHashMap<>();
  private final List<Entry> pending = new ArrayList<>();
  private final Map<Integer, Integer> taken = new TreeMap<>();
  private final Map<Integer, Integer> drained = new TreeMap<>();
  private final Map<Long, CheckpointFacts> checkpoints = new LinkedHashMap<>();
  private final Map<Long, Entry.Committing> commits = new LinkedHashMap<>();
  private final GroupLedger groups = new GroupLedger();
  private final FailedCommits failedCommits = new FailedCommits();
  private int lastImage;
  private long lastAttempt;
  private int kills;
  private int members;
  private boolean memberFailed;

  /**
   * Nothing yet.
   *
   * @param inPlace whether extents of diverted images go to the images' own files
   */
  public Ledger(final boolean inPlace) {
    this.inPlace = inPlace;
  }

  /**
   * Adds an entry. What contradicts the entries before is left out: the journal is whole up to its
   * end, but an entry may be about something that another thread had let go of.
   *
   * @param entry the next one
   */
  public void enter(final Entry entry) {
    switch (entry) {
      case Entry.Attached e -> attach(e);
      case Entry.Detached e -> detach(e);
      case Entry.Admitted e -> {
        images.put(e.image(), new ImageFacts(e, inPlace));
        lastImage = Math.max(lastImage, e.image());
      }
      case Entry.Created e -> create(e);
      case Entry.Changed e -> change(e);
      case Entry.Opened e -> open(e);
      case Entry.Closed e -> {
        read(e.slot(), e.position());
        with(e.image(), image -> image.close(e, lastRequests.get(e.slot())));
        if (e.position() < 0) {
          lastRequests.remove(e.slot());
        }
      }
      case Entry.Taken e -> {
        read(e.slot(), e.position());
        taken.put(e.chunk(), e.generation());
        pending.add(e);
      }
      case Entry.Drained e -> drain(e);
      case Entry.Emptying e -> pending.add(e);
      case Entry.Restarted e -> restart(e);
      case Entry.Begun e -> {
        checkpoints.put(e.checkpoint(), new CheckpointFacts(e.scope()));
        failedCommits.remove(e.checkpoint());
      }
      case Entry.Completed e -> {
        of(e.checkpoint(), checkpoint -> checkpoint.complete(e.rank()));
        lastRequests.put(e.slot(), e);
      }
      case Entry.Committing e -> commit(e);
      case Entry.Ended e -> end(e);
      case Entry.Replaced e -> {
        if (e.copy() == 0) {
          groups.forget(e.image()).ifPresent(failedCommits::remove);
        } else {
          groups.substitute(e.image(), e.copy());
          with(e.image(), image -> with(e.copy(), copy -> copy.writtenAs(image)));
        }
      }
      case Entry.Joined e -> members++;
      case Entry.Left e -> {
        members--;
        memberFailed |= !e.succeeded();
      }
    }
  }

  // What a snapshot says beyond entries.

  void count(
      final int image,
      final long attempt,
      final int killCount,
      final int memberCount,
      final boolean oneFailed) {
    lastImage = image;
    lastAttempt = attempt;
    kills = killCount;
    members = memberCount;
    memberFailed = oneFailed;
  }

  void requested(final Entry request) {
    switch (request) {
      case Entry.Opened e -> lastRequests.put(e.slot(), e);
      case Entry.Completed e -> lastRequests.put(e.slot(), e);
      default -> throw new BufferUnderflowException();
    }
  }

  void enter(final ImageFacts image) {
    images.put(image.admitted().image(), image);
  }

  void enter(final long number, final GroupFacts group) {
    groups.enter(number, group);
  }

  void underWay(final Entry.Committing commit) {
    commits.put(commit.attempt(), commit);
  }

  Map<Integer, Long> positions() {
    return positions;
  }

  Collection<Entry> lastRequests() {
    return lastRequests.values();
  }

  boolean isInPlace() {
    return inPlace;
  }

  private void with(final int id, final Consumer<ImageFacts> step) {
    final ImageFacts image = images.get(id);
    if (image != null) {
      step.accept(image);
    }
  }

  private void of(final long number, final Consumer<CheckpointFacts> step) {
    final CheckpointFacts checkpoint = checkpoints.get(number);
    if (checkpoint != null) {
      step.accept(checkpoint);
    }
  }

  private void attach(final Entry.Attached e) {
    slots.put(e.slot(), e);
    positions.remove(e.slot());
    lastRequests.remove(e.slot());
  }

  private void detach(final Entry.Detached e) {
    final Entry.Attached process = slots.remove(e.slot());
    images.values().forEach(image -> image.abandon(e.slot()));
    if (e.killed() && process != null) {
      kills++;
      images.values().forEach(image -> image.killed(process));
    }
  }

  private void read(final int slot, final long position) {
    if (position >= 0) {
      positions.put(slot, position);
    }
  }

  private void create(final Entry.Created e) {
    with(e.image(), image -> image.createdFor(e));
    of(e.checkpoint(), checkpoint -> checkpoint.created(e));
  }

  /** A checkpoint by request is over with it; images of a group are in no other one. */
  private void commit(final Entry.Committing e) {
    commits.put(e.attempt(), e);
    lastAttempt = e.attempt();
    of(
        e.checkpoint(),
        checkpoint -> {
          if (checkpoint.isComplete()) {
            checkpoints.remove(e.checkpoint());
          }
        });
    if (!e.ungrouped() && e.members().stream().allMatch(part -> isCaptured(part.image()))) {
      groups.committed(e.checkpoint(), e.members());
    }
  }

  private boolean isCaptured(final int image) {
    return images.containsKey(image) && images.get(image).created() == null;
  }

  private void change(final Entry.Changed e) {
    if (e.state() == ImageDescriptor.STATE_FREE) {
      images.remove(e.image());
      checkpoints.values().forEach(checkpoint -> checkpoint.forget(e.image()));
      groups.forget(e.image()).ifPresent(failedCommits::remove);
    } else {
      with(e.image(), image -> image.state(e.state()));
    }
  }

  private void open(final Entry.Opened e) {
    final Entry.Attached process = slots.get(e.slot());
    if (process != null) {
      with(e.image(), image -> image.open(e, process));
      if (e.request() != Entry.NO_REQUEST) {
        lastRequests.put(e.slot(), e);
      }
      if (e.writes()) {
        groups.rewritten(e.image());
      }
    }
  }

  private void drain(final Entry.Drained e) {
    drained.put(e.chunk(), e.generation());
    pending.removeIf(
        p ->
            p instanceof final Entry.Taken t
                && t.chunk() == e.chunk()
                && t.generation() == e.generation());
    if (e.location() != null) {
      e.shares().forEach(share -> with(share.image(), image -> image.logged(e, share)));
    }
  }

  private void restart(final Entry.Restarted e) {
    with(e.image(), image -> image.restart(e));
    if (e.cause() == Entry.Cause.EMPTIED) {
      for (int i = 0; i < pending.size(); i++) {
        if (pending.get(i) instanceof final Entry.Emptying p && p.image() == e.image()) {
          pending.remove(i);
          return;
        }
      }
    }
  }

  private void end(final Entry.Ended e) {
    final Entry.Committing commit = commits.remove(e.attempt());
    if (commit != null) {
      if (e.succeeded()) {
        failedCommits.remove(commit.checkpoint());
      } else {
        failedCommits.add(commit.checkpoint(), e);
        groups.failed(commit.checkpoint());
      }
      commit
          .members()
          .forEach(part -> with(part.image(), image -> image.commitEnded(e.succeeded())));
    }
  }

  /**
   * The processes that have slots.
   *
   * @return in the order of their coming
   */
  public Collection<Entry.Attached> slots() {
    return slots.values();
  }

  /**
   * How far a slot's ring was read.
   *
   * @param slot an attached slot
   * @return a position of the ring
   */
  public long position(final int slot) {
    return positions.getOrDefault(slot, 0L);
  }

  /**
   * The last request of a slot that must not be carried out twice.
   *
   * @param slot an attached slot
   * @return an {@link Entry.Opened} or {@link Entry.Completed}; null for none
   */
  public Entry lastRequest(final int slot) {
    return lastRequests.get(slot);
  }

  /**
   * The images.
   *
   * @return in the order of their admission
   */
  public Collection<ImageFacts> images() {
    return images.values();
  }

  /**
   * The highest image id so far.
   *
   * @return 0 for none
   */
  public int lastImage() {
    return lastImage;
  }

  /**
   * What the write stage has not done.
   *
   * @return {@link Entry.Taken} and {@link Entry.Emptying}, in their order
   */
  public List<Entry> pending() {
    return pending;
  }

  /**
   * The last use of each chunk that went into the drain.
   *
   * @return generation by chunk
   */
  public Map<Integer, Integer> taken() {
    return taken;
  }

  /**
   * The last use of each chunk that was drained.
   *
   * @return generation by chunk
   */
  public Map<Integer, Integer> drained() {
    return drained;
  }

  /**
   * Checkpoints under way that were begun by request.
   *
   * @return by number
   */
  public Map<Long, CheckpointFacts> checkpoints() {
    return checkpoints;
  }

  /**
   * The commits that were decided and are not known to be over.
   *
   * @return in their order
   */
  public Collection<Entry.Committing> commits() {
    return commits.values();
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
   * The groups that were committed.
   *
   * @return by the checkpoint's number, as of their last commit
   */
  public Map<Long, GroupFacts> groups() {
    return groups.byNumber();
  }

  /**
   * The commits that failed.
   *
   * @return as of now
   */
  public FailedCommits failedCommits() {
    return failedCommits;
  }

  /**
   * The kills so far.
   *
   * @return how many processes
   */
  public int kills() {
    return kills;
  }

  /**
   * How many members there are.
   *
   * @return those that joined and have not left
   */
  public int members() {
    return members;
  }

  /**
   * Whether the command of a member failed.
   *
   * @return true when one did
   */
  public boolean memberFailed() {
    return memberFailed;
  }
}
