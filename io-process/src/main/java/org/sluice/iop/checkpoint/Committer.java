package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.PosixException;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.Commit;
import org.sluice.core.store.CommittedImage;
import org.sluice.core.store.Draft;
import org.sluice.core.store.LeftAsFiles;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.CommitTimes;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Intervals;
import org.sluice.iop.measure.OpenTimes;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/**
 * Commits closed images. From the decision on they count as committed for every process, so that
 * none changes an inode while it is linked into the store; if it fails they are what they were.
 * Service thread only.
 */
final class Committer {
  private final CheckpointStore store;
  private final Drain drain;
  private final Statistics statistics;
  private final Waiters waiters;
  private final Executor service;
  private final Draft header;
  private final Set<Image> committed = new HashSet<>();
  private final Journal journal;
  private long attempts;

  /**
   * A committer.
   *
   * @param header node, job, layout and session of what it commits
   * @param service runs what it is given on the service thread
   */
  Committer(
      final CheckpointStore store,
      final Drain drain,
      final Statistics statistics,
      final Waiters waiters,
      final Executor service,
      final Draft header,
      final Journal journal) {
    this.journal = journal;
    this.store = store;
    this.drain = drain;
    this.statistics = statistics;
    this.waiters = waiters;
    this.service = service;
    this.header = header;
  }

  /**
   * Commits a checkpoint.
   *
   * @param ranks whose images it has
   * @param ungrouped whether it has what no group took
   * @param done takes the commit; nothing when it failed
   */
  void commit(
      final long number,
      final CommitRanks ranks,
      final boolean ungrouped,
      final List<Member> members,
      final Consumer<Optional<Commit>> done) {
    final Map<Image, Integer> before = new HashMap<>();
    members.forEach(member -> before.put(member.image(), member.image().state()));
    final Entry.Committing decision =
        new Entry.Committing(
            ++attempts, number, ranks.ranks(), ranks.part(), ungrouped, parts(members));
    journal.write(decision);
    commit(decision, members, before, done);
  }

  private static List<Entry.Part> parts(final List<Member> members) {
    return members.stream()
        .map(m -> new Entry.Part(m.image().id(), m.path(), m.rank(), m.ranks()))
        .toList();
  }

  /** Takes over what a former I/O process knew of commits. */
  void resume(final long lastAttempt, final Collection<Image> inStore) {
    attempts = lastAttempt;
    committed.addAll(inStore);
  }

  /**
   * Ends what a former I/O process had decided. It may be in the store already. Otherwise it is
   * committed, unless a program has deleted or replaced an image since, whose bytes are gone.
   *
   * @param before the states of the images if it is not committed
   */
  void commitAgain(
      final Entry.Committing decision,
      final List<Member> members,
      final Map<Image, Integer> before,
      final Consumer<Optional<Commit>> done) {
    final Optional<Commit> made = inStore(decision);
    final Optional<Member> missing = members.stream().filter(Committer::isDeleted).findFirst();
    if (made.isPresent()) {
      members.forEach(member -> seal(member.image()));
      committed(decision, made.get(), members, done);
    } else if (missing.isPresent()) {
      takeBack(decision, missing.get(), before, done);
    } else {
      commit(decision, members, before, done);
    }
  }

  /** Nobody was told that it is durable. */
  private void takeBack(
      final Entry.Committing decision,
      final Member missing,
      final Map<Image, Integer> before,
      final Consumer<Optional<Commit>> done) {
    final Entry.Ended end =
        new Entry.Ended(
            decision.attempt(),
            Errno.ENOENT,
            missing.path()
                + " was deleted or replaced while there was no I/O process; write all of its images again");
    journal.write(end);
    before.forEach(Image::state);
    tellOfFailure(decision.checkpoint(), end);
    done.accept(Optional.empty());
  }

  /** What is committed is never rewritten, so the same images under the same names are the same. */
  private Optional<Commit> inStore(final Entry.Committing decision) {
    try {
      final Optional<Commit> commit = store.find(decision.checkpoint());
      if (commit.isPresent()
          && commit.get().sessionId() == header.sessionId()
          && names(store.images(commit.get())).equals(names(decision))) {
        return commit;
      }
    } catch (final IOException e) {
      Warnings.warn(
          "checkpoint %d is committed again: %s".formatted(decision.checkpoint(), e.getMessage()));
    }
    return Optional.empty();
  }

  private static Set<Map.Entry<Integer, String>> names(final List<CommittedImage> images) {
    return images.stream()
        .map(image -> Map.entry(image.imageId(), image.path()))
        .collect(Collectors.toSet());
  }

  private static Set<Map.Entry<Integer, String>> names(final Entry.Committing decision) {
    return decision.members().stream()
        .map(part -> Map.entry(part.image(), part.path()))
        .collect(Collectors.toSet());
  }

  private static boolean isDeleted(final Member member) {
    try {
      return member.image().file().links() == 0;
    } catch (final PosixException e) {
      member.image().fail(e);
      return false;
    }
  }

  private void commit(
      final Entry.Committing decision,
      final List<Member> members,
      final Map<Image, Integer> before,
      final Consumer<Optional<Commit>> done) {
    members.forEach(member -> seal(member.image()));
    final Draft draft =
        new Draft(
            decision.checkpoint(),
            header.node(),
            header.job(),
            header.layout(),
            decision.ranks(),
            decision.part(),
            decision.ungrouped(),
            header.sessionId(),
            new ArrayList<>());
    drain.publish(
        new CommitWork(
            store,
            drain,
            decision.attempt(),
            draft,
            members,
            statistics,
            new CommitWork.Outcome() {
              @Override
              public void committed(final Commit commit) {
                Committer.this.committed(decision, commit, members, done);
              }

              @Override
              public void failed(final IOException failure) {
                Committer.this.failed(decision, before, Failure.of(failure), done);
              }
            }));
  }

  /** Any thread. */
  private void committed(
      final Entry.Committing decision,
      final Commit commit,
      final List<Member> members,
      final Consumer<Optional<Commit>> done) {
    final long now = System.nanoTime();
    journal.write(new Entry.Ended(decision.attempt()));
    service.execute(
        () -> {
          succeed(commit, members, now, done);
          drain.tidy();
        });
  }

  /** Any thread. */
  private void failed(
      final Entry.Committing decision,
      final Map<Image, Integer> before,
      final Failure failure,
      final Consumer<Optional<Commit>> done) {
    final Entry.Ended end = new Entry.Ended(decision.attempt(), failure.errno(), failure.reason());
    journal.write(end);
    service.execute(() -> undo(decision.checkpoint(), before, end, done));
  }

  private static void seal(final Image image) {
    if (image.state() == ImageDescriptor.STATE_DIRECT) {
      try {
        image.size(image.file().size());
      } catch (final PosixException e) {
        image.fail(e);
      }
    }
    image.state(ImageDescriptor.STATE_COMMITTED);
  }

  private void succeed(
      final Commit commit,
      final List<Member> members,
      final long now,
      final Consumer<Optional<Commit>> done) {
    final Map<Long, Intervals> openings = new HashMap<>();
    long first = now;
    for (final Member member : members) {
      committed.add(member.image());
      final OpenTimes times = member.image().times();
      times.addTo(openings);
      first = Math.min(first, times.first());
      statistics.durable(times.first(), now);
    }
    statistics.committed(
        new CommitTimes(
            commit.number(),
            commit.imageCount(),
            commit.bytes(),
            OpenTimes.slowest(openings),
            (now - first) / 1e9));
    waiters.committed(commit.number());
    done.accept(Optional.of(commit));
  }

  /** What is lost keeps no room in the store, which may be what the next one lacks. */
  private void undo(
      final long number,
      final Map<Image, Integer> before,
      final Entry.Ended end,
      final Consumer<Optional<Commit>> done) {
    before.forEach(Image::state);
    before.keySet().stream().filter(image -> image.errno() != 0).forEach(drain::release);
    drain.makeRoom();
    tellOfFailure(number, end);
    done.accept(Optional.empty());
  }

  private void tellOfFailure(final long number, final Entry.Ended end) {
    Warnings.warn("checkpoint %d is not committed: %s".formatted(number, end.reason()));
    waiters.failed(number, end);
  }

  /** Says that what the session is to commit it cannot commit. */
  void refuse(final String reason) {
    Warnings.warn(reason);
    statistics.failed(new Failure(Errno.EINVAL, reason));
  }

  /** Tells of checkpoints that were to be committed and are not. */
  void reportFailures() {
    waiters.failures().forEach(end -> statistics.failed(new Failure(end.errno(), end.reason())));
  }

  /** All images of a checkpoint are gone: nobody misses it. */
  void forget(final long number) {
    waiters.forget(number);
  }

  /** Tells the store where files are that no checkpoint has. */
  void leftAsFiles(final LeftAsFiles left) throws IOException {
    store.leftAsFiles(left);
  }

  /** Whether a commit of the image succeeded. */
  boolean hasCommitted(final Image image) {
    return committed.contains(image);
  }

  /** The ids of the images that checkpoints of this session have now, and a restart can read. */
  Set<Integer> stored() throws IOException {
    final Set<Integer> stored = new HashSet<>();
    for (final Commit commit : store.commits(Committer::tellOfDamage)) {
      if (commit.sessionId() == header.sessionId()) {
        try {
          store.images(commit).forEach(image -> stored.add(image.imageId()));
        } catch (final IOException e) {
          tellOfDamage(e);
        }
      }
    }
    return stored;
  }

  private static void tellOfDamage(final IOException e) {
    Warnings.warn("what it has counts as not committed: " + e.getMessage());
  }

  /** No checkpoint has the image any more: it is what it was before its commit. */
  void reclaim(final Image image) {
    committed.remove(image);
    image.state(
        image.log().isInPlace() ? ImageDescriptor.STATE_DIRECT : ImageDescriptor.STATE_DIVERTED);
  }

  /** Lets go of an image. */
  void forget(final Image image) {
    committed.remove(image);
  }
}
