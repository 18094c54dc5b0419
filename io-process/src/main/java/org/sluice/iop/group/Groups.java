package org.sluice.iop.group;

import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.sluice.core.libc.Errno;
import org.sluice.core.segment.Reason;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Completion;
import org.sluice.iop.checkpoint.CheckpointCommit;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.checkpoint.Committer;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.checkpoint.Group;
import org.sluice.iop.checkpoint.GroupTable;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.checkpoint.Latecomers;
import org.sluice.iop.checkpoint.UncapturedFiles;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageName;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.retention.Retention;

/**
 * Finds checkpoints in the names that a program gives its files, and commits each when all ranks
 * have closed theirs. Service thread only.
 */
public final class Groups {
  private final Grouping grouping;
  private final Context context;
  private final Committer committer;
  private final Retention retention;
  private final GroupTable table;
  private final RecheckSchedule rechecks = new RecheckSchedule(System::nanoTime);
  private final GroupsToRecheck undecided = new GroupsToRecheck();
  private final ExpectedFiles expected = new ExpectedFiles();
  private final UncapturedFiles uncaptured;
  private final Latecomers latecomers;
  private final SharedMarkers markers;
  private final GroupNotices notices;
  private final GroupNames names;
  private final GroupSearch search;

  public Groups(final Context context, final Committer committer, final Retention retention) {
    this.context = context;
    this.table = context.state().groups();
    this.grouping = context.grouping();
    this.committer = committer;
    this.retention = retention;
    this.uncaptured = new UncapturedFiles(context);
    this.latecomers = new Latecomers(context, uncaptured);
    this.markers = new SharedMarkers(context, rechecks, undecided);
    this.notices = new GroupNotices(context);
    this.names = new GroupNames(context, uncaptured, undecided::add);
    this.search = new GroupSearch(context, grouping, this::lookAtAll);
    retention.tell(new Returning(context, this::look, this::noteGrowth));
  }

  public boolean exist() {
    return grouping.exists();
  }

  /**
   * Whether a checkpoint has an image, or may have it under another name.
   *
   * @param image one that is closed
   * @return false where it is a plain file, and nothing else
   */
  public boolean mayHave(final Image image) {
    return exist() && (!search.isOver() || table.of(image) != null);
  }

  /**
   * Looks again at what checkpoint an image belongs to, which is then committed if it is complete.
   *
   * @param image one that was opened, closed or renamed
   * @return where its file is; empty where it has no name, or nobody looked at it
   */
  public Optional<String> look(final Image image) {
    final Optional<String> name = exist() ? names.find(image) : Optional.empty();
    look(image, name);
    return name;
  }

  /**
   * The same of one whose name has just been looked at.
   *
   * @param image an image that was opened
   * @param name of its file, absolute; empty where it has none in the capture directory
   */
  public void look(final Image image, final Optional<String> name) {
    if (!exist()) {
      names.noteUngrouped(image);
      return;
    }
    search(image, name);
    if (grouping.isKnown()) {
      notices.writes(image.writer());
    }
    final Group before = table.of(image);
    final Group group = place(image, name);
    if (group != null) {
      expected.looked(group, rechecks.now(), image.openers().isEmpty());
      if (expected.isReached(group) && group.hasOneWriter()) {
        group.leave();
      }
      markers.looked(group.number(), image);
      noteGrowth(group);
      undecided.add(group.number());
    }
    if (before != null && before != group) {
      undecided.add(before.number()); // which may have waited for that one alone
    }
  }

  private void search(final Image image, final Optional<String> name) {
    if (search.isSought() && image.openers().isEmpty() && image.created() == null) {
      name.filter(path -> !ImageName.isOurs(path))
          .map(context.capture()::relative)
          .ifPresent(path -> search.look(image, path));
    }
  }

  /**
   * It is known which files are one checkpoint: those that are there join, the first ones first.
   */
  private void lookAtAll() {
    final Map<Image, Optional<String>> all = new HashMap<>();
    context.registry().all().stream()
        .filter(image -> image.created() == null)
        .forEach(image -> all.put(image, names.find(image)));
    all.entrySet().stream()
        .sorted(Comparator.comparingLong(each -> number(each.getValue())))
        .forEach(each -> look(each.getKey(), each.getValue()));
  }

  private long number(final Optional<String> name) {
    return name.map(names::number).orElse(OptionalLong.empty()).orElse(Long.MAX_VALUE);
  }

  /** {@return why no file is of any checkpoint; empty where it is known which are} */
  public Optional<String> unknown() {
    return grouping.isKnown() ? Optional.empty() : Optional.of(search.obstacle());
  }

  /**
   * Whether nobody asked for checkpoints of files in place, and none has begun: then nothing is
   * searched for, as that costs much where files are many, and may fail.
   */
  public boolean areUnneeded() {
    return context.drain().isInPlace()
        && (!grouping.isKnown() || search.isOwn() && isNothingKnown());
  }

  private boolean isNothingKnown() {
    return table.all().isEmpty() && context.state().lacks().isEmpty();
  }

  private boolean areUnasked() {
    return context.drain().isInPlace() && search.isOwn();
  }

  /**
   * Says why nothing more is committed.
   *
   * @throws IOException the same, where the user asked for checkpoints
   */
  public void giveUp(final IOException why) throws IOException {
    if (!areUnasked()) {
      throw why;
    }
    Warnings.warn("what is in no checkpoint yet stays plain files: " + why.getMessage());
  }

  /**
   * Whether nobody asked for what failed: then its files are plain files in place, as without
   * Sluice, and the command's exit status stays.
   */
  public boolean isUnasked(final Entry.Ended end) {
    return areUnasked()
        && (end.attempt() == CheckpointState.NO_ATTEMPT || table.find(end.checkpoint()) != null);
  }

  /** Why no file is of any checkpoint though numbers tell files apart; empty where none do. */
  public Optional<String> nearly() {
    return exist() && !search.isUnnumbered() ? Optional.of(search.obstacle()) : Optional.empty();
  }

  /** At the end: by the names that files have now, if it is not known which are one checkpoint. */
  public void lookOnceMore() {
    if (search.isSought()) {
      lookAtAll();
    }
  }

  /**
   * Whether the store is being asked which files are one checkpoint.
   *
   * @return true until the service thread has the answer
   */
  public boolean areAskedFor() {
    return search.isAsking();
  }

  /** Whether files begin no checkpoints any more, which was said. */
  public boolean areOver() {
    return search.isOver();
  }

  /** Images of a former I/O process, before one is looked at: a part may seem complete. */
  public void place(final Collection<Image> images) {
    if (exist()) {
      images.forEach(this::place);
    }
  }

  private Group place(final Image image) {
    return place(image, names.find(image));
  }

  private Group place(final Image image, final Optional<String> name) {
    return names.place(image, name, this::mayHave, this::begin);
  }

  /** Whether files may be of a checkpoint. */
  private boolean mayHave(final long number) {
    if (table.find(number) != null) {
      return true;
    }
    final Optional<Failure> obstacle = search.obstacle(number);
    obstacle
        .filter(why -> uncaptured.fail(number, why.errno(), why.reason()))
        .ifPresent(why -> noteWrittenOver(number));
    return obstacle.isEmpty() && search.mayBegin(number);
  }

  private Group begin(final long number) {
    rechecks.wanted().forEach(undecided::hurry);
    notices.begins(number, table.all(), names.parts());
    context.predecessors().begins(number);
    markers.begin(number);
    expected.leave();
    final Group next = new Group(number, false, context.state().isWritten(number));
    expected.begin(next);
    noteWrittenOver(number);
    return next;
  }

  private void noteWrittenOver(final long number) {
    if (context.drain().isInPlace() && !context.predecessors().isElsewhere(number)) {
      context.drain().publish(new WrittenOver(context, number));
    }
  }

  /**
   * A file joins a committed checkpoint, unless it is the first one of another round of writing: a
   * restart is to take the one before until that is committed, too.
   */
  private void noteGrowth(final Group group) {
    if (group.isStored() && group.hasGrown()) {
      refresh(group);
      if (group.hasGrown()) {
        publishGrowth(group, false);
      }
    } else if (context.drain().isInPlace() && group.isStored() && group.isRewritten()) {
      publishGrowth(group, false); // its files are being written over
    }
  }

  private void publishGrowth(final Group group, final boolean isNextUnderWay) {
    context.drain().publish(new MarkIncomplete(context, group.takeStored()));
    retention.grown(group.number());
    context.waiters().grown(group.number(), isNextUnderWay);
  }

  private void commitIfComplete(final Group group) {
    if (isComplete(group) && !waitsForMore(group)) {
      commitUnlessPaused(group);
    }
  }

  /** Whether a count completes it, and the checkpoint before got more files in the end. */
  private boolean waitsForMore(final Group group) {
    return !grouping.hasMarkers() && expected.holdsUp(group, rechecks, notices);
  }

  /** Whether a process was killed that might have written more files of what a count completes. */
  private boolean isDoubtful(final Group group) {
    return !grouping.hasMarkers() && expected.isDoubtful(group);
  }

  private void commitUnlessPaused(final Group group) {
    if (markers.isCovered(group) && rechecks.isOver(group.number(), group.hasGrown())) {
      final long began = rechecks.now();
      if (isReady(group) && (!hurryOthers(group) || isReady(group))) {
        commit(group);
      } else {
        rechecks.looked(group.number(), began);
      }
    }
  }

  private boolean isReady(final Group group) {
    lookAtMoved();
    refresh(group); // a program that begins anew deletes what a killed one left first
    return isComplete(group)
        && group.isQuiet()
        && group.isOfOneRound(grouping)
        && !group.isBeingRenamed()
        && !isPrevented(group.number())
        && !latecomers.has(group);
  }

  /**
   * Those that wait, or were closed before, come first, as the newest is committed last. Returns
   * whether there are any: they may have had this one committed, and time went by.
   */
  private boolean hurryOthers(final Group group) {
    rechecks.end(group.number());
    final Set<Long> others = new LinkedHashSet<>(rechecks.wanted());
    others.addAll(table.changedBefore(group));
    others.forEach(this::hurry);
    return !others.isEmpty();
  }

  /** Whether it lacks a file, or may do. */
  private boolean isPrevented(final long number) {
    return names.hide(number, rechecks)
        || uncaptured.prevents(number)
        || context.predecessors().obstacle(number).map(why -> refuse(number, why)).orElse(false);
  }

  /** What the store must not have is in plain files soon, as files of no checkpoint are. */
  private boolean refuse(final long number, final Failure why) {
    uncaptured.refuse(number, why);
    table.find(number).images().forEach(names::noteUngrouped);
    return true;
  }

  private boolean isComplete(final Group group) {
    return !group.isEmpty() && group.hasChanged() && !group.isOpen() && markers.complete(group);
  }

  /** What is in another checkpoint by now joins that. */
  private void lookAtMoved() {
    names.lookAtMoved(this::look);
  }

  /** Looks now and then at what programs outside rename, of which nobody tells. */
  public void lookAround() {
    if (exist()) {
      search.beat();
      if (names.mayLook()) {
        lookAtMoved();
      }
    }
  }

  /** Looks at all names again, since a program may rename and delete without our knowledge. */
  private void refresh(final Group group) {
    context.capture().search(group.images());
    group.images().forEach(this::place);
  }

  /**
   * A file in the capture directory is no image, though a process writes it.
   *
   * @param key what identifies it
   * @param path its name, absolute
   * @param reason why it is none
   */
  public void lacks(final ImageKey key, final String path, final Reason reason) {
    if (exist() && !names.number(path).stream().allMatch(this::mayHave)) {
      return;
    }
    final Group group = table.find(uncaptured.written(key, path, reason));
    if (group != null && group.isStored()) {
      refresh(group);
      if (!group.isRewritten() && uncaptured.prevents(group.number())) {
        publishGrowth(group, false);
      }
    }
  }

  /**
   * A file is an image.
   *
   * @param key what identifies it
   */
  public void captured(final ImageKey key) {
    uncaptured.captured(key);
  }

  public UncapturedFiles uncaptured() {
    return uncaptured;
  }

  /** {@return where the images of groups are} */
  public GroupNames names() {
    return names;
  }

  /**
   * Looks again at the groups whose time has come.
   *
   * @param readRings takes what all processes have published
   * @return whether that told of more to look at
   */
  public boolean proceed(final Runnable readRings) {
    if (names.areTold()) {
      lookAtMoved();
    }
    final GroupNotices.LeftBehind leftBehind = notices.takeLeftBehind();
    undecided.decide(readRings, this::decideOrForget, this::hurry);
    notices.tellOf(leftBehind, names.parts());
    rechecks.due().forEach(this::decide);
    return !undecided.isEmpty();
  }

  /** All is known by now that happened to a checkpoint of which no file is left. */
  private void decideOrForget(final long number) {
    if (table.isVanished(number)) {
      context.decide(new Entry.Vanished(number));
    }
    decide(number);
  }

  private void decide(final long number) {
    final Group group = table.find(number);
    if (group != null) {
      markers.look(group);
      commitIfComplete(group);
    }
  }

  /**
   * How long the service thread may sleep.
   *
   * @param limit at most
   * @return milliseconds, at least 1
   */
  public long patience(final long limit) {
    return rechecks.patience(limit);
  }

  /**
   * Commits a checkpoint without any pause if it is complete. Of one that may get more files, and
   * of which a writer was killed, that cannot be known.
   *
   * @param number its number
   * @return whether this session writes it, and has not committed it as it is
   */
  public boolean hurry(final long number) {
    final Group group = table.find(number);
    if (exist() && group != null) {
      rechecks.end(number);
      markers.look(group);
      if (isComplete(group) && !isDoubtful(group)) {
        commitUnlessPaused(group);
      }
    }
    return exist() && group != null && !group.isStored();
  }

  private void commit(final Group group) {
    final List<Entry.Part> members;
    try {
      members = names.members(group);
    } catch (final IOException e) {
      uncaptured.refuse(group.number(), Failure.of(e));
      return;
    }
    notices.commits(group);
    if (!group.hasGrown()) {
      context.predecessors().commits(group.number());
    }
    final long began = rechecks.now();
    rechecks.committing(group.number());
    committer.commit(
        group.number(),
        group.isRewritten(),
        markers.close(group),
        grouping.hasMarkers() ? Completion.MARKER : Completion.COUNT,
        members,
        commit -> {
          rechecks.committed(commit.number(), began + commit.waited());
          ended(commit);
        });
  }

  public void ended(final CheckpointCommit commit) {
    if (commit.isStored()) {
      context.predecessors().committed(commit.number());
      retention.committed(commit.stored(), commit.own());
      stored(commit.stored(), Set.copyOf(commit.members()));
    }
    latecomers.released().forEach(undecided::add);
  }

  /**
   * Files may have joined the group since the commit was decided, and the next one be under way.
   */
  private void stored(final Commit commit, final Set<Image> images) {
    final Group group = table.find(commit.number());
    if (exist() && group != null) {
      group.stored(commit);
      expected.stored(group);
      if (group.hasMoreThan(images)) {
        publishGrowth(group, true);
      } else {
        noteGrowth(group);
      }
    }
  }

  /** What a former I/O process committed, the oldest first. */
  public void resume(final Commit commit) {
    final Group group = table.find(commit.number());
    if (exist() && group != null) {
      expected.begin(group);
      group.stored(commit.incomplete() ? null : commit);
    }
  }

  /**
   * At the end: commits what is whole.
   *
   * @param succeeded whether the command did, so that nothing was still to come
   */
  public void end(final boolean succeeded) {
    if (exist()) {
      lookAtMoved();
      if (succeeded) {
        table.all().forEach(Group::end);
      }
      table.uncommitted().stream()
          .filter(group -> !group.isTorn())
          .map(Group::number)
          .forEach(number -> end(number, succeeded));
    }
  }

  /** Behind that: those that have something which no commit has, in the order of their writing. */
  public Collection<Group> incomplete() {
    if (!exist()) {
      return List.of();
    }
    List.copyOf(table.all()).forEach(this::refresh);
    final List<Group> all = table.uncommitted();
    all.stream()
        .filter(markers::marksNothing)
        .forEach(group -> uncaptured.fail(group.number(), Errno.ENOENT, group.obstacle(grouping)));
    return all;
  }

  /** One that is to get more files, by the one before, gets them only while something goes on. */
  private void end(final long number, final boolean succeeded) {
    if (succeeded || rechecks.wanted().contains(number)) {
      hurry(number);
    } else {
      rechecks.end(number);
      decide(number);
    }
  }

  /** Why a checkpoint is not committed as it is. */
  public String obstacle(final Group group) {
    final Entry.Ended failed = context.state().failed().get(group.number());
    if (failed != null && failed.attempt() == CheckpointState.NO_ATTEMPT) {
      return failed.reason();
    }
    if (!group.isTorn() && latecomers.obstacleAtEnd(group).isPresent()) {
      return latecomers.obstacleAtEnd(group).get();
    }
    return group.isQuiet() && isComplete(group) && expected.expectsMore(group)
        ? "it has %d files, and checkpoint %d got %d in the end"
            .formatted(group.size(), expected.former(), expected.files())
        : group.obstacle(grouping);
  }

  /** {@return whether a checkpoint waits for a marker of another node, or what that closes over} */
  public boolean awaitMarkers() {
    return exist() && table.all().stream().anyMatch(markers::holdUp);
  }

  /**
   * The images of checkpoints that have something which no commit has.
   *
   * @param which images of them
   * @return by number, of those that have any
   */
  public Map<Long, List<Image>> logged(final Predicate<Image> which) {
    final Map<Long, List<Image>> all = new HashMap<>();
    for (final Group group : exist() ? table.all() : List.<Group>of()) {
      final List<Image> its = group.hasChanged() ? group.images() : List.of();
      all.put(group.number(), its.stream().filter(which).toList());
    }
    all.values().removeIf(List::isEmpty);
    return all;
  }

  /**
   * Whether a commit may come to have an image.
   *
   * @param image an image of the session
   * @return false where it is in no group, or where the store must not have that
   */
  public boolean mayCommit(final Image image) {
    return has(image) && context.predecessors().obstacle(table.of(image).number()).isEmpty();
  }

  /** Whether an image is of a checkpoint that has something which no commit has. */
  public boolean hasChanged(final Image image) {
    return has(image) && table.of(image).hasChanged();
  }

  /** Whether a commit names an image whose file stays where it is. */
  public boolean isNamed(final Image image) {
    return context.isNamed(image) && has(image) && !hasChanged(image);
  }

  /**
   * Whether a group has an image.
   *
   * @param image an image of the session
   * @return false also without groups
   */
  public boolean has(final Image image) {
    return exist() && table.of(image) != null;
  }
}
