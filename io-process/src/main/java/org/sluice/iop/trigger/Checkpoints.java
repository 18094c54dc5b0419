package org.sluice.iop.trigger;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.Segment;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.model.Commit;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.CheckpointSettings;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.CommitOutcomes;
import org.sluice.iop.checkpoint.Committer;
import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.checkpoint.Drafts;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.checkpoint.ImageRelease;
import org.sluice.iop.checkpoint.SessionSettings;
import org.sluice.iop.checkpoint.UncapturedFiles;
import org.sluice.iop.checkpoint.Waiters;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.group.GroupCommits;
import org.sluice.iop.group.GroupNames;
import org.sluice.iop.group.GroupNotices;
import org.sluice.iop.group.GroupSearch;
import org.sluice.iop.group.Groups;
import org.sluice.iop.group.RecheckSchedule;
import org.sluice.iop.group.SharedMarkers;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.retention.Retention;

/** The parts that make the checkpoints of a session, and end them. Service thread only. */
public final class Checkpoints {
  private final Decisions decisions;
  private final CheckpointStorage storage;
  private final CapturedFiles files;
  private final Waiters waiters;
  private final Grouping grouping;
  private final Drain drain;
  private final CommitOutcomes outcomes;
  private final ImageRelease releases;
  private final Resting resting;
  private final Committer committer;
  private final Retention retention;
  private final Groups groups;
  private final ExplicitCheckpoints explicit;
  private final EndOfRun endOfRun;
  private final LastSettling lastSettling;
  private final Losses losses;
  private final Replacements replacements;
  private final Restarts restarts;
  private final Unfinished unfinished;

  /**
   * Creates the parts of a session without checkpoints and images.
   *
   * @param drain the pipeline, which has begun
   * @throws IOException when the name of this node cannot be told
   */
  public Checkpoints(
      final Decisions decisions,
      final CheckpointStorage storage,
      final CapturedFiles files,
      final Drain drain,
      final SessionSettings settings,
      final Statistics statistics,
      final Segment segment)
      throws IOException {
    this.decisions = decisions;
    this.storage = storage;
    this.files = files;
    this.drain = drain;
    final CheckpointState state = decisions.state();
    final CheckpointSettings wanted = settings.checkpoints();
    grouping = wanted.grouping();
    waiters = new Waiters(storage.publisher().committedBefore(state.leaving().keySet()), state);
    outcomes = new CommitOutcomes(decisions, waiters, storage, statistics, drain.service());
    releases = new ImageRelease(state, files.registry(), drain);
    resting = new Resting(files, drain, releases);
    committer =
        new Committer(
            decisions,
            storage,
            files,
            drain,
            new Drafts(NodeIdentity.self().name(), settings.name(), drain.layout(), storage),
            outcomes,
            releases);
    retention = new Retention(wanted, storage, state, files, drain, statistics, releases);
    groups = groups(segment.header(), statistics);
    retention.tell(groups.returns());
    replacements =
        new Replacements(decisions, storage, files.registry(), drain, statistics, groups);
    endOfRun =
        new EndOfRun(
            state,
            storage,
            files,
            statistics,
            groups,
            committer,
            new Untold(segment, files.registry(), state, drain.layout(), statistics));
    lastSettling = new LastSettling(files.registry(), drain, groups, resting, replacements);
    losses = new Losses(state, files, statistics, groups, releases);
    explicit =
        new ExplicitCheckpoints(
            decisions,
            storage,
            new CheckpointFiles(decisions, files, segment.header()),
            wanted.writers(),
            committer,
            retention,
            releases);
    explicit.plain(groups::look);
    restarts =
        new Restarts(
            decisions.journal().inFlight(),
            storage,
            new CommittedFiles(drain.service(), files.registry(), replacements));
    unfinished = new Unfinished(state, grouping, storage, files, drain);
  }

  private Groups groups(final Header header, final Statistics statistics) {
    final Publisher publisher = storage.publisher();
    final RecheckSchedule rechecks = new RecheckSchedule(System::nanoTime);
    final UncapturedFiles uncaptured =
        new UncapturedFiles(decisions, waiters, files, grouping, drain.layout(), header);
    return new Groups(
        decisions,
        new GroupSearch(
            grouping, decisions.state(), storage, drain.layout(), header, drain.service()),
        new GroupNames(decisions, files, publisher, grouping, uncaptured, rechecks::changed),
        rechecks,
        new SharedMarkers(grouping, files, publisher, drain.service(), rechecks),
        new GroupNotices(grouping, publisher, files.shared(), statistics),
        new GroupCommits(storage, drain, committer, retention));
  }

  public Waiters waiters() {
    return waiters;
  }

  public ImageRelease releases() {
    return releases;
  }

  public Resting resting() {
    return resting;
  }

  public Retention retention() {
    return retention;
  }

  /** Returns the checkpoints that file names tell of. */
  public Groups groups() {
    return groups;
  }

  /** Returns the checkpoints that ranks begin by request. */
  public ExplicitCheckpoints explicit() {
    return explicit;
  }

  /** Returns the treatment, at the end, of images that no checkpoint has. */
  public EndOfRun endOfRun() {
    return endOfRun;
  }

  public LastSettling lastSettling() {
    return lastSettling;
  }

  public Losses losses() {
    return losses;
  }

  /** Returns the changes of committed images. */
  public Replacements replacements() {
    return replacements;
  }

  /** Returns the reader of the store for ranks that restart. */
  public Restarts restarts() {
    return restarts;
  }

  public Unfinished unfinished() {
    return unfinished;
  }

  /** Returns whether a checkpoint may miss a file that nobody captures. */
  public boolean mayExist() {
    return grouping.mayHaveCheckpoints(drain.layout());
  }

  /** Returns whether a commit is decided, and not yet stored or undone. */
  public boolean areCommitting() {
    return !decisions.state().commits().isEmpty();
  }

  /** Takes over the checkpoints of a former I/O process, but for commits that may be under way. */
  public void resume() throws IOException {
    resumeSeries();
    groups.place(files.registry().all());
    explicit.resume(
        decisions.state().commits().stream()
            .flatMap(commit -> commit.members().stream())
            .map(part -> files.registry().find(part.image()))
            .collect(Collectors.toSet()));
  }

  /** Takes over commits made before the kill, so that they count together with later ones. */
  private void resumeSeries() throws IOException {
    if (decisions.state().lastAttempt() == 0) {
      return; // nothing was committed, and the store may be large
    }
    leave();
    counting().stream()
        .filter(commit -> commit.source().sessionId() == storage.sessionId())
        .sorted(Comparator.comparingLong(commit -> commit.identity().sequence()))
        .forEach(
            commit -> {
              retention.resume(commit, decisions.state().groups().committed(commit.number()));
              groups.resume(commit);
            });
  }

  /**
   * Resumes uploads that were under way, from their begin. The newest commit may have to be
   * uploaded at the end.
   */
  private void leave() throws IOException {
    Commit newest = null;
    for (final Commit commit : storage.store().commits(damaged -> {})) {
      final Entry.Leaving one = decisions.state().leaving().get(commit.id());
      if (one != null) {
        storage.publisher().uploads().resume(outcomes.pending(commit, one.round(), one.growth()));
      }
      if (newest == null || newest.identity().sequence() < commit.identity().sequence()) {
        newest = commit;
      }
    }
    if (storage.publisher().hasStage() && newest != null && stays(newest)) {
      final Entry.Written written = decisions.state().written(newest.number());
      storage
          .publisher()
          .uploads()
          .keep(outcomes.pending(newest, written.round(), written.growth()));
    }
  }

  private boolean stays(final Commit commit) {
    return !decisions.state().leaving().containsKey(commit.id())
        && decisions.state().isWritten(commit.number())
        && !storage.publisher().uploads().include(decisions.state().place(commit.number()));
  }

  private List<Commit> counting() throws IOException {
    final List<Commit> commits = new ArrayList<>();
    for (final Commit commit : storage.store().commits(damaged -> {})) {
      if (storage.publisher().counts(commit)) {
        commits.add(commit);
      }
    }
    return commits;
  }

  /** Repeats commits that a former I/O process had decided. */
  public void commitAgain() {
    List.copyOf(decisions.state().commits()).forEach(this::commitAgain);
  }

  private void commitAgain(final Entry.Committing commit) {
    if (commit.completion().isByRequest()) {
      committer.begun(commit.checkpoint());
      committer.commitAgain(commit, explicit::ended);
    } else if (groups.exist()) {
      committer.commitAgain(commit, groups::ended);
    } else {
      committer.commitAgain(commit, any -> {});
    }
  }
}
