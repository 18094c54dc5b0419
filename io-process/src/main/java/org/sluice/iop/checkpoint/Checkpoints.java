package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.Commit;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.GroupFacts;
import org.sluice.iop.journal.ImageFacts;
import org.sluice.iop.journal.Ledger;

/**
 * What looks after the checkpoints of a session: made here, taken over here from a former I/O
 * process, and asked directly. Service thread only.
 *
 * @param context what they share
 * @param farewells lets go of images
 * @param committer decides commits
 * @param retention removes older checkpoints
 * @param groups the checkpoints that file names tell
 * @param explicit those that ranks begin by request
 * @param leftovers what no checkpoint has at the end
 * @param replacements lets committed images change
 * @param restarts reads the store for ranks that restart
 */
public record Checkpoints(
    Context context,
    Farewells farewells,
    Committer committer,
    Retention retention,
    Groups groups,
    ExplicitCheckpoints explicit,
    Leftovers leftovers,
    Replacements replacements,
    Restarts restarts) {
  /**
   * No images yet.
   *
   * @param context what they share
   * @param writers how many ranks of this node write a checkpoint, 0 for all
   * @param keep how many checkpoints of a series stay, 0 for all
   * @return what looks after them
   */
  public static Checkpoints of(final Context context, final int writers, final int keep) {
    final Farewells farewells = new Farewells(context);
    final Committer committer = new Committer(context);
    final Retention retention = new Retention(context, keep, farewells);
    final Groups groups = new Groups(context, committer, retention);
    final Leftovers leftovers = new Leftovers(context, groups, committer);
    farewells.tell(leftovers::noteLoss);
    farewells.tell(groups::forget);
    farewells.tell(committer::forget);
    return new Checkpoints(
        context,
        farewells,
        committer,
        retention,
        groups,
        new ExplicitCheckpoints(context, committer, retention, writers, farewells),
        leftovers,
        new Replacements(context, groups, committer),
        new Restarts(context.store(), context.journal().inFlight()));
  }

  /**
   * Takes over what a former I/O process knew, but for commits that may be under way.
   *
   * @param ledger what it wrote down
   * @throws IOException when the store cannot be read
   */
  public void resume(final Ledger ledger) throws IOException {
    final Map<Boolean, List<Image>> known =
        ledger.images().stream()
            .filter(ImageFacts::isCommitted)
            .filter(facts -> facts.state() == ImageDescriptor.STATE_COMMITTED)
            .collect(
                Collectors.partitioningBy(
                    facts -> facts.created() != null,
                    Collectors.mapping(
                        facts -> context.registry().find(facts.admitted().image()),
                        Collectors.toList())));
    context.waiters().resume(ledger.failedCommits());
    committer.resume(ledger.lastAttempt(), known.get(false));
    ledger.groups().forEach((n, facts) -> groups.resume(n, facts, context.registry()::find));
    groups.place(context.registry().all());
    ledger.checkpoints().forEach((n, facts) -> explicit.resume(n, facts, context.registry()::find));
    known.get(true).forEach(explicit::discard);
    resumeSeries(ledger.groups(), Set.copyOf(known.get(false)));
  }

  /** What was committed before the kill counts with what is committed from here on. */
  private void resumeSeries(final Map<Long, GroupFacts> facts, final Set<Image> committed)
      throws IOException {
    context.store().commits(damaged -> {}).stream()
        .filter(commit -> commit.sessionId() == context.header().sessionId() && !commit.ungrouped())
        .sorted(Comparator.comparingLong(Commit::sequence))
        .forEach(
            commit ->
                retention.resume(
                    commit,
                    Optional.ofNullable(facts.get(commit.number())).stream()
                        .flatMap(group -> group.unchanged().stream())
                        .map(context.registry()::find)
                        .filter(committed::contains)
                        .collect(Collectors.toCollection(HashSet::new))));
  }

  /**
   * Commits what a former I/O process had decided to.
   *
   * @param commit its decision
   * @param before the states of the images if this fails
   */
  public void commitAgain(final Entry.Committing commit, final Map<Image, Integer> before) {
    final List<Member> members =
        commit.members().stream()
            .map(p -> new Member(context.registry().find(p.image()), p.path(), p.rank(), p.ranks()))
            .toList();
    if (members.stream().anyMatch(member -> explicit.has(member.image()))) {
      explicit.commitAgain(commit, members, before);
    } else if (groups.made(commit)) {
      groups.commitAgain(commit, members, before);
    } else {
      committer.commitAgain(commit, members, before, any -> {});
    }
  }
}
