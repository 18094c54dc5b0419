package org.sluice.iop.trigger;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.core.store.model.Commit;
import org.sluice.iop.checkpoint.Committer;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.checkpoint.ImageRelease;
import org.sluice.iop.checkpoint.UploadOutcome;
import org.sluice.iop.group.Groups;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.publish.PendingUpload;
import org.sluice.iop.retention.Retention;

/**
 * The parts that handle the checkpoints of a session. Service thread only.
 *
 * @param context state that the parts share
 * @param releases releases images
 * @param resting brings images to rest
 * @param committer decides commits
 * @param retention removal of older checkpoints
 * @param groups the checkpoints that file names tell of
 * @param explicit the checkpoints that ranks begin by request
 * @param leftovers handles, at the end, images that no checkpoint has
 * @param replacements prepares changes of committed images
 * @param restarts reads the store for ranks that restart
 */
public record Checkpoints(
    Context context,
    ImageRelease releases,
    Resting resting,
    Committer committer,
    Retention retention,
    Groups groups,
    ExplicitCheckpoints explicit,
    EndOfRun leftovers,
    Replacements replacements,
    Restarts restarts) {
  /**
   * Creates the parts of a session without checkpoints and images.
   *
   * @param context state that the parts share
   * @return the parts
   */
  public static Checkpoints of(final Context context) {
    final ImageRelease releases = new ImageRelease(context);
    final Resting resting = new Resting(context, releases);
    final Committer committer = new Committer(context, releases);
    final Retention retention = new Retention(context, releases);
    final Groups groups = new Groups(context, committer, retention);
    final Replacements replacements = new Replacements(context, groups);
    final EndOfRun leftovers =
        new EndOfRun(context, groups, committer, releases, resting, replacements);
    return new Checkpoints(
        context,
        releases,
        resting,
        committer,
        retention,
        groups,
        new ExplicitCheckpoints(context, committer, retention, releases),
        leftovers,
        replacements,
        new Restarts(context));
  }

  /**
   * Takes over the checkpoints of a former I/O process, but for commits that may be under way.
   *
   * @throws IOException when the store cannot be read
   */
  public void resume() throws IOException {
    resumeSeries();
    groups.place(context.registry().all());
    explicit.resume(
        context.state().commits().stream()
            .flatMap(commit -> commit.members().stream())
            .map(part -> context.registry().find(part.image()))
            .collect(Collectors.toSet()));
  }

  /** Takes over commits made before the kill, so that they count together with later ones. */
  private void resumeSeries() throws IOException {
    if (context.state().lastAttempt() == 0) {
      return; // nothing was committed, and the store may be large
    }
    leave();
    counting().stream()
        .filter(commit -> commit.source().sessionId() == context.sessionId())
        .sorted(Comparator.comparingLong(commit -> commit.identity().sequence()))
        .forEach(
            commit -> {
              retention.resume(commit, context.state().groups().committed(commit.number()));
              groups.resume(commit);
            });
  }

  /**
   * Resumes uploads that were under way, from their begin. The newest commit may have to be
   * uploaded at the end.
   */
  private void leave() throws IOException {
    Commit newest = null;
    for (final Commit commit : context.store().commits(damaged -> {})) {
      final Entry.Leaving one = context.state().leaving().get(commit.id());
      if (one != null) {
        context.publisher().resumeUpload(departure(commit, one.round(), one.growth()));
      }
      if (newest == null || newest.identity().sequence() < commit.identity().sequence()) {
        newest = commit;
      }
    }
    if (context.publisher().hasStage() && newest != null && stays(newest)) {
      final Entry.Written written = context.state().written(newest.number());
      context.publisher().keep(departure(newest, written.round(), written.growth()));
    }
  }

  private boolean stays(final Commit commit) {
    return !context.state().leaving().containsKey(commit.id())
        && context.state().isWritten(commit.number())
        && !context.publisher().uploads(context.state().place(commit.number()));
  }

  private PendingUpload departure(final Commit commit, final long round, final long growth) {
    final int writing = context.waiters().writing(commit.number());
    return new PendingUpload(commit, round, growth, new UploadOutcome(context, writing));
  }

  private List<Commit> counting() throws IOException {
    final List<Commit> commits = new ArrayList<>();
    for (final Commit commit : context.store().commits(damaged -> {})) {
      if (context.publisher().counts(commit)) {
        commits.add(commit);
      }
    }
    return commits;
  }

  /** Repeats commits that a former I/O process had decided. */
  public void commitAgain() {
    List.copyOf(context.state().commits()).forEach(this::commitAgain);
  }

  private void commitAgain(final Entry.Committing commit) {
    if (commit.completion().isByRequest()) {
      context.waiters().begun(commit.checkpoint());
      committer.commitAgain(commit, explicit::ended);
    } else if (groups.exist()) {
      committer.commitAgain(commit, groups::ended);
    } else {
      committer.commitAgain(commit, any -> {});
    }
  }
}
