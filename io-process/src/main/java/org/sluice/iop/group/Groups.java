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
import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.checkpoint.Group;
import org.sluice.iop.checkpoint.GroupTable;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.checkpoint.Latecomers;
import org.sluice.iop.checkpoint.PathPattern;
import org.sluice.iop.checkpoint.UncapturedFiles;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageName;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.retention.Retention;

/**
 * The checkpoints that are told by the names of a program's files. Each is committed when all ranks
 * have closed their files. Service thread only.
 */
public final class Groups {
  private final Decisions decisions;
  private final GroupTable table;
  private final Grouping grouping;
  private final RecheckSchedule rechecks;
  private final ExpectedFiles expected = new ExpectedFiles();
  private final GroupSearch search;
  private final GroupNames names;
  private final UncapturedFiles uncaptured;
  private final Latecomers latecomers;
  private final SharedMarkers markers;
  private final GroupNotices notices;
  private final GroupCommits commits;

  /** True once the files of what is not committed become plain files, at the end. */
  private boolean settling;

  /**
   * @param rechecks groups that are to be looked at again, also by the markers
   */
  public Groups(
      final Decisions decisions,
      final GroupSearch search,
      final GroupNames names,
      final RecheckSchedule rechecks,
      final SharedMarkers markers,
      final GroupNotices notices,
      final GroupCommits commits) {
    this.decisions = decisions;
    this.table = decisions.state().groups();
    this.search = search;
    this.grouping = search.grouping();
    this.names = names;
    this.uncaptured = names.uncaptured();
    this.latecomers = new Latecomers(decisions.state(), grouping, uncaptured);
    this.rechecks = rechecks;
    this.markers = markers;
    this.notices = notices;
    this.commits = commits;
    search.listen(this::lookAtAll);
  }

  /** Returns the receiver of images whose checkpoint stays after all. */
  public Retention.Returns returns() {
    return names.returns(this::look, this::noteGrowth);
  }

  /** Returns the pattern of the files of groups; null while it is unknown. */
  public PathPattern pattern() {
    return grouping.files();
  }

  public boolean exist() {
    return grouping.exists();
  }

  /**
   * Returns whether a checkpoint has an image, or may have it under another name; false for a plain
   * file and nothing else.
   */
  public boolean mayHave(final Image image) {
    return image.added() != null
        || decisions.state().areExpected()
        || exist() && (!search.isOver() || table.of(image) != null);
  }

  /**
   * Looks again at which checkpoint an image belongs to, and commits that checkpoint if it is
   * complete. Returns the path of its file; empty when it has no name, or there are no groups.
   */
  public Optional<String> look(final Image image) {
    final Optional<String> name = exist() ? names.find(image) : Optional.empty();
    look(image, name);
    return name;
  }

  /**
   * Looks at an image whose name has just been found.
   *
   * @param name absolute path of its file; empty when it has none in the capture directory
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
      markers.looked(group.number(), image);
      noteGrowth(group);
      rechecks.changed(group.number());
    }
    if (before != null && before != group) {
      rechecks.changed(before.number()); // the group may have waited for this image alone
    }
  }

  private void search(final Image image, final Optional<String> name) {
    final boolean told = image.created() != null || image.added() != null;
    if (search.isSought() && image.openers().isEmpty() && !told) {
      name.filter(path -> !ImageName.isOurs(path))
          .map(names::relative)
          .ifPresent(path -> search.look(image, path));
    }
  }

  /**
   * Adds all existing images to groups once the pattern is known, in the order of their
   * checkpoints.
   */
  private void lookAtAll() {
    names.findAll().entrySet().stream()
        .sorted(Comparator.comparingLong(each -> number(each.getValue())))
        .forEach(each -> look(each.getKey(), each.getValue()));
  }

  private long number(final Optional<String> name) {
    return name.map(names::number).orElse(OptionalLong.empty()).orElse(Long.MAX_VALUE);
  }

  /**
   * {@return the reason for which no file belongs to a checkpoint; empty once the pattern is known}
   */
  public Optional<String> unknown() {
    return grouping.isKnown() ? Optional.empty() : Optional.of(search.obstacle());
  }

  /**
   * Returns whether no user asked for checkpoints of files in place, and none has begun. Then no
   * search is done, which costs much where files are many, and may fail.
   */
  public boolean areUnneeded() {
    return search.isUnasked() && isNothingKnown() || search.isInVain();
  }

  private boolean isNothingKnown() {
    return table.all().isEmpty() && decisions.state().lacks().isEmpty();
  }

  /** Reports why nothing more is committed. */
  public void giveUp(final IOException why) throws IOException {
    if (!search.isUnasked()) {
      throw why;
    }
    Warnings.warn("what is in no checkpoint yet stays plain files: " + why.getMessage());
  }

  /**
   * Returns whether no user asked for a checkpoint that failed. Then its files are plain files in
   * place, as without Sluice, and the command's exit status stays.
   */
  public boolean isUnasked(final Entry.Ended end) {
    return search.isUnasked()
        && (end.attempt() == CheckpointState.NO_ATTEMPT || table.find(end.checkpoint()) != null);
  }

  /**
   * Returns the reason for which no file belongs to a checkpoint though numbers tell files apart;
   * empty when no numbers do.
   */
  public Optional<String> nearly() {
    return exist() && !search.isUnnumbered() ? Optional.of(search.obstacle()) : Optional.empty();
  }

  /** Looks, at the end, at the present names of all files, if the pattern is still unknown. */
  public void lookOnceMore() {
    if (search.isSought()) {
      lookAtAll();
    }
  }

  /** Returns whether the store is being asked which files are one checkpoint. */
  public boolean areAskedFor() {
    return search.isAsking();
  }

  /** Returns whether files begin no checkpoints any more; the user was told. */
  public boolean areOver() {
    return search.isOver();
  }

  /**
   * Puts images of a former I/O process in groups before any is looked at. Else a part of them may
   * seem complete.
   */
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

  private boolean mayHave(final long number) {
    if (table.find(number) != null) {
      return true;
    }
    final Optional<Failure> obstacle = search.obstacle(number);
    obstacle
        .filter(why -> uncaptured.fail(number, why.errno(), why.reason()))
        .ifPresent(why -> commits.markWrittenOver(number));
    return obstacle.isEmpty() && search.mayBegin(number);
  }

  private Group begin(final long number) {
    rechecks.hurry();
    notices.begins(number, table.all(), names.parts());
    commits.begins(number);
    markers.begin(number);
    expected.leave();
    final Group next = new Group(number, false, decisions.state().isWritten(number));
    expected.begin(next);
    commits.markWrittenOver(number);
    return next;
  }

  /**
   * Notes that a file joins a committed checkpoint. The file may instead be the first one of
   * another round. Then a restart takes the previous checkpoint until this one is committed, too.
   */
  private void noteGrowth(final Group group) {
    if (group.isStored() && group.hasGrown()) {
      refresh(group);
      if (group.hasGrown()) {
        commits.markIncomplete(group, false);
      }
    } else if (commits.marksRewritten(group)) {
      commits.markIncomplete(group, false); // the program is writing over its files
    }
  }

  private void commitIfComplete(final Group group) {
    if (isComplete(group) && !waitsForMore(group)) {
      commitUnlessPaused(group);
    }
  }

  /**
   * Returns whether a group that a count completes expects more files, as the previous one got more
   * in the end.
   */
  private boolean waitsForMore(final Group group) {
    return !grouping.hasMarkers() && expected.holdsUp(group, rechecks, notices);
  }

  /**
   * Returns whether a process was killed that might have written more files of a group that a count
   * completes.
   */
  private boolean isDoubtful(final Group group) {
    return !grouping.hasMarkers() && expected.isDoubtful(group);
  }

  private void commitUnlessPaused(final Group group) {
    if (!settling
        && markers.isCovered(group)
        && rechecks.isOver(group.number(), group.hasGrown())) {
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
    refresh(group); // a program that starts again deletes the files of a killed one first
    return isComplete(group)
        && group.isQuiet()
        && group.isOfOneRound(grouping)
        && !group.isBeingRenamed()
        && !isPrevented(group.number())
        && !latecomers.has(group);
  }

  /**
   * Hurries groups that wait, or were closed before this one, as the newest is committed last.
   * Returns whether there are any: they may have had this one committed, and time has passed.
   */
  private boolean hurryOthers(final Group group) {
    rechecks.end(group.number());
    final Set<Long> others = new LinkedHashSet<>(rechecks.wanted());
    others.addAll(table.changedBefore(group));
    others.forEach(this::hurry);
    return !others.isEmpty();
  }

  /** Returns whether a checkpoint lacks a file, or may lack one. */
  private boolean isPrevented(final long number) {
    return names.hide(number, rechecks)
        || uncaptured.prevents(number)
        || commits.obstacle(number).map(why -> refuse(number, why)).orElse(false);
  }

  /**
   * Refuses a checkpoint that the store must not have. Its files become plain files soon, like
   * files of no checkpoint.
   */
  private boolean refuse(final long number, final Failure why) {
    uncaptured.refuse(number, why);
    table.find(number).images().forEach(names::noteUngrouped);
    return true;
  }

  private boolean isComplete(final Group group) {
    return !group.isEmpty() && group.hasChanged() && !group.isOpen() && markers.complete(group);
  }

  /** Lets images join the checkpoint that their present name tells. */
  private void lookAtMoved() {
    names.lookAtMoved(this::look);
  }

  /** Looks from time to time for renames by programs outside, which nobody reports. */
  public void lookAround() {
    if (exist()) {
      search.beat();
      if (names.mayLook()) {
        lookAtMoved();
      }
    }
  }

  /** Looks at all names again, since a program may rename and delete files without a report. */
  private void refresh(final Group group) {
    names.search(group.images());
    group.images().forEach(this::place);
  }

  /** Notes a file in the capture directory that is no image though a process writes it. */
  public void lacks(final ImageKey key, final String path, final Reason reason) {
    if (exist() && !names.number(path).stream().allMatch(this::mayHave)) {
      return;
    }
    final Group group = table.find(uncaptured.written(key, path, reason));
    if (group != null && group.isStored()) {
      refresh(group);
      if (!group.isRewritten() && uncaptured.prevents(group.number())) {
        commits.markIncomplete(group, false);
      }
    }
  }

  public void captured(final ImageKey key) {
    uncaptured.captured(key);
  }

  public UncapturedFiles uncaptured() {
    return uncaptured;
  }

  /** {@return the names by which groups have their images} */
  public GroupNames names() {
    return names;
  }

  /**
   * Looks again at the groups whose time has come, and returns whether more are to be looked at.
   *
   * @param readAll reads what all processes have told by now: their rings, then their requests
   */
  public boolean proceed(final Runnable readAll) {
    if (names.areTold()) {
      lookAtMoved();
    }
    final GroupNotices.LeftBehind leftBehind = notices.takeLeftBehind();
    final Runnable read =
        () -> {
          readAll.run();
          expected.read();
        };
    rechecks.decide(read, this::decideOrForget, this::hurry);
    notices.tellOf(leftBehind, names.parts());
    rechecks.due().forEach(this::decide);
    return rechecks.hasUndecided();
  }

  /**
   * Decides about a checkpoint, and forgets it if no file is left. All its events are known by now.
   */
  private void decideOrForget(final long number) {
    if (table.isVanished(number)) {
      decisions.decide(new Entry.Vanished(number));
    }
    decide(number);
  }

  private void decide(final long number) {
    final Group group = table.find(number);
    if (group != null) {
      lookAtComplete(group);
      commitIfComplete(group);
    }
  }

  /**
   * Looks whether a checkpoint has got its marker, or as many files of its one writer as the one
   * before. Files of both that were renamed are known by now.
   */
  private void lookAtComplete(final Group group) {
    if (names.areTold()) {
      lookAtMoved();
    }
    markers.look(group);
    if (expected.isReached(group) && group.hasOneWriter()) {
      group.leave();
    }
  }

  /** Returns how long the service thread may sleep, in milliseconds: from 1 up to the limit. */
  public long patience(final long limit) {
    return rechecks.patience(limit);
  }

  /**
   * Commits a complete checkpoint without any pause. A checkpoint of which a writer was killed may
   * lack files, so its completeness is unknown.
   *
   * @return whether this session writes the checkpoint, and has not committed its present state
   */
  public boolean hurry(final long number) {
    final Group group = table.find(number);
    if (exist() && group != null) {
      rechecks.end(number);
      lookAtComplete(group);
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
    final long began = rechecks.now();
    rechecks.committing(group.number());
    commits.commit(
        group,
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
      commits.stored(commit);
      stored(commit.stored(), Set.copyOf(commit.members()));
    }
    latecomers.released().forEach(rechecks::changed);
  }

  /**
   * Notes that a group is in the store. Files may have joined the group since the commit was
   * decided, and its next commit may be under way.
   */
  private void stored(final Commit commit, final Set<Image> images) {
    final Group group = table.find(commit.number());
    if (exist() && group != null) {
      group.stored(commit);
      expected.stored(group);
      if (group.hasMoreThan(images)) {
        commits.markIncomplete(group, true);
      } else {
        noteGrowth(group);
      }
    }
  }

  /** Takes over commits of a former I/O process; called for the oldest first. */
  public void resume(final Commit commit) {
    final Group group = table.find(commit.number());
    if (exist() && group != null) {
      expected.begin(group);
      group.stored(commit.incomplete() ? null : commit);
    }
  }

  /**
   * Commits, at the end, the groups that are whole.
   *
   * @param succeeded whether the command succeeded, so that no file is missing
   */
  public void end(final boolean succeeded) {
    if (exist()) {
      names.lookAtStored();
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

  /**
   * Returns, after {@link #end}, the groups that have something which no commit has, in the order
   * of their writing.
   */
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

  /**
   * Has no group committed from here on: the files of what is not committed are made plain, and the
   * failures of commits counted. A look at their names goes on, and would begin another commit, of
   * which nobody awaits the end.
   */
  public void settle() {
    settling = true;
  }

  /**
   * Ends a group. A group that expects more files, as the previous one had, gets them only while
   * programs run.
   */
  private void end(final long number, final boolean succeeded) {
    if (succeeded || rechecks.wanted().contains(number)) {
      hurry(number);
    } else {
      rechecks.end(number);
      decide(number);
    }
  }

  /** Returns the reason for which a checkpoint is not committed as it is. */
  public String obstacle(final Group group) {
    final Entry.Ended failed = decisions.state().failed().get(group.number());
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

  /**
   * {@return whether a checkpoint waits for a marker of another node, or for the ranks that it
   * covers}
   */
  public boolean awaitMarkers() {
    return exist() && table.all().stream().anyMatch(markers::holdUp);
  }

  /**
   * Returns by number the images of checkpoints that have something which no commit has, without
   * empty lists.
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
   * Returns whether an image may still be committed; false when the image is in no group, or in one
   * that the store must not have.
   */
  public boolean mayCommit(final Image image) {
    return has(image) && commits.obstacle(table.of(image).number()).isEmpty();
  }

  /** Returns whether an image belongs to a checkpoint that has something which no commit has. */
  public boolean hasChanged(final Image image) {
    return has(image) && table.of(image).hasChanged();
  }

  public boolean isNamed(final Image image) {
    return commits.isNamed(image) && has(image) && !hasChanged(image);
  }

  public boolean has(final Image image) {
    return exist() && table.of(image) != null;
  }
}
