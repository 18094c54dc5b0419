package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.Commit;
import org.sluice.core.store.Draft;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.NotCapturedException;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.GroupFacts;
import org.sluice.iop.journal.ImageFacts;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.journal.Ledger;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/** All checkpoints of the session, found in file names or begun by request. Service thread only. */
public final class Checkpoints implements AutoCloseable {
  private final CheckpointStore store;
  private final ImageRegistry registry;
  private final Drain drain;
  private final Statistics statistics;
  private final Executor service;
  private final Draft header;
  private final Journal journal;
  private final Waiters waiters;
  private final Committer committer;
  private final Retention retention;
  private final Groups groups;
  private final ExplicitCheckpoints explicit;
  private final Restarts restarts;
  private final Leftovers leftovers;
  private final SharedFiles shared;

  /**
   * No images yet.
   *
   * @param store where checkpoints are committed
   * @param registry the images
   * @param drain the pipeline
   * @param statistics learns of commits
   * @param capture where captured files are
   * @param grouping which files are one checkpoint; null when files are not grouped
   * @param writers how many ranks of this node write a checkpoint, 0 for all
   * @param keep how many checkpoints of a series stay, 0 for all
   * @param shared files that no checkpoint has
   * @param header node, job, layout and session of the checkpoints
   * @param journal learns what is decided
   * @param service runs what it is given on the service thread
   * @throws IOException when the store cannot be read
   */
  public Checkpoints(
      final CheckpointStore store,
      final ImageRegistry registry,
      final Drain drain,
      final Statistics statistics,
      final CaptureDirectory capture,
      final Grouping grouping,
      final int writers,
      final int keep,
      final SharedFiles shared,
      final Draft header,
      final Journal journal,
      final Executor service)
      throws IOException {
    this.journal = journal;
    this.shared = shared;
    this.store = store;
    this.registry = registry;
    this.drain = drain;
    this.statistics = statistics;
    this.service = service;
    this.header = header;
    this.waiters = new Waiters(readable().map(Commit::number).collect(Collectors.toSet()));
    this.committer = new Committer(store, drain, statistics, waiters, service, header, journal);
    this.retention =
        new Retention(keep, store, drain, registry, capture, grouping, service, this::forget);
    this.groups = new Groups(grouping, capture, committer, retention, shared);
    this.explicit =
        new ExplicitCheckpoints(
            store, registry, committer, waiters, retention, journal, writers, this::forget);
    this.restarts = new Restarts(store, journal.inFlight());
    this.leftovers = new Leftovers(registry, groups, capture, committer, drain, statistics, shared);
  }

  /**
   * Says that a process came.
   *
   * @param writer the process
   */
  public void attached(final Writer writer) {
    groups.attached(writer);
  }

  /**
   * Looks again at what checkpoint an image belongs to, and commits that if it is complete.
   *
   * @param image an image that was opened, closed or renamed
   */
  public void look(final Image image) {
    groups.look(image);
  }

  /**
   * Says that an image gets other bytes.
   *
   * @param image an image that was opened for writing
   */
  public void rewritten(final Image image) {
    groups.rewritten(image);
    leftovers.rewritten(image);
  }

  /**
   * Lets go of an image when the pipeline has, unless somebody opened it meanwhile.
   *
   * @param image a closed image
   */
  public void forget(final Image image) {
    image.farewell();
    drain.afterwards(
        () ->
            service.execute(
                () -> {
                  if (image.isUnused()) {
                    leftovers.noteLoss(image);
                    groups.forget(image);
                    committer.forget(image);
                    drain.release(image);
                    registry.forget(image);
                  }
                }));
  }

  /**
   * Whether an image was created by request, so that it has no name in the capture directory.
   *
   * @param image an image
   * @return false for a captured file
   */
  public boolean hasByRequest(final Image image) {
    return explicit.has(image);
  }

  /**
   * Puts a fresh file where a committed image is.
   *
   * @param image a committed image
   * @param path where it is
   * @param empty whether the file is to be empty, otherwise it has the image's bytes
   * @param caller told when that is done
   * @param reply what to tell
   */
  public void replace(
      final Image image,
      final Path path,
      final boolean empty,
      final Caller caller,
      final Reply reply) {
    drain.publish(
        new ReplaceWork(
            store,
            header.sessionId(),
            image,
            path,
            empty,
            new ReplaceWork.Outcome() {
              @Override
              public void replaced(final Optional<NativeFile> fresh) {
                service.execute(
                    () -> {
                      final Optional<Image> copy = fresh.flatMap(file -> adopt(file, image));
                      journal.write(new Entry.Replaced(image.id(), copy.map(Image::id).orElse(0)));
                      copy.ifPresentOrElse(
                          substitute -> groups.substitute(image, substitute),
                          () -> groups.forget(image));
                      caller.answer(reply);
                    });
              }

              @Override
              public void failed(final IOException failure) {
                caller.answer(new Reply.Failed(Errno.EIO, failure.getMessage()));
              }
            }));
  }

  /**
   * Lets a committed image be changed in its place: the checkpoints that have it get a copy of what
   * its own file holds.
   *
   * @param image an image that is committed, or about to be
   * @param proceed told on the service thread when that is done, unless it failed
   * @param failed told otherwise; any thread
   */
  public void unshare(final Image image, final Runnable proceed, final Consumer<Exception> failed) {
    drain.publish(
        new UnshareWork(
            store,
            image,
            new UnshareWork.Outcome() {
              @Override
              public void unshared() {
                service.execute(
                    () -> {
                      committer.forget(image);
                      proceed.run();
                    });
              }

              @Override
              public void failed(final Exception failure) {
                failed.accept(failure);
              }
            }));
  }

  /** The rebuilt copy is an image, too, so that it is committed again if it is rewritten. */
  private Optional<Image> adopt(final NativeFile file, final Image original) {
    try {
      final Image copy = registry.admit(file, ImageDescriptor.STATE_DIRECT);
      copy.direct(Reason.OTHER);
      copy.writtenBy(original.writer());
      drain.makeDirect(copy, new int[0], false);
      return Optional.of(copy);
    } catch (final NotCapturedException e) {
      statistics.leftPlain(original.key(), e.reason());
      Warnings.warn(
          "%s, which was committed and is written again, will be a plain file: %s"
              .formatted(original.file().opened(), e.getMessage()));
      return Optional.empty();
    }
  }

  /**
   * Begins a checkpoint.
   *
   * @param request which
   * @param beginner who asks
   * @return what to answer
   */
  public Reply begin(final Request.Begin request, final Writer beginner) {
    return explicit.begin(request, beginner);
  }

  /**
   * Makes an image of a checkpoint.
   *
   * @param request which
   * @param admitted takes the image, whose file is {@code image.file().opened()}, and says what to
   *     answer
   * @return what to answer
   */
  public Reply create(final Request.Create request, final Function<Image, Reply> admitted) {
    final Optional<ExplicitCheckpoint> checkpoint = explicit.find(request);
    if (checkpoint.isEmpty()) {
      return new Reply.Failed(
          Errno.EINVAL,
          ("rank %d cannot create image '%s' of checkpoint %d; "
                  + "begin that first, for all ranks, and give a path without '..'")
              .formatted(request.rank(), request.name(), request.checkpoint()));
    }
    try {
      return admitted.apply(explicit.create(checkpoint.get(), request));
    } catch (final NotCapturedException e) {
      return new Reply.Failed(Errno.ENOSPC, e.getMessage());
    } catch (final IOException e) {
      return new Reply.Failed(Errno.EIO, e.getMessage());
    }
  }

  /**
   * Completes a rank's part of a checkpoint.
   *
   * @param request which
   * @param slot who asks
   * @param number the number of its request
   * @return what to answer
   */
  public Reply complete(final Request.Complete request, final int slot, final long number) {
    return explicit.complete(request, slot, number);
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
                        facts -> registry.find(facts.admitted().image()), Collectors.toList())));
    waiters.resume(ledger.failedCommits());
    committer.resume(ledger.lastAttempt(), known.get(false));
    ledger.groups().forEach((n, facts) -> groups.resume(n, facts, registry::find));
    groups.place(registry.all());
    ledger.checkpoints().forEach((n, facts) -> explicit.resume(n, facts, registry::find));
    known.get(true).forEach(explicit::discard);
    resumeSeries(ledger.groups(), Set.copyOf(known.get(false)));
  }

  /** What is damaged is named when the I/O process starts, and keeps nobody from going on. */
  private Stream<Commit> readable() throws IOException {
    return store.commits(damaged -> {}).stream();
  }

  /** What was committed before the kill counts with what is committed from here on. */
  private void resumeSeries(final Map<Long, GroupFacts> facts, final Set<Image> committed)
      throws IOException {
    readable()
        .filter(commit -> commit.sessionId() == header.sessionId() && !commit.ungrouped())
        .sorted(Comparator.comparingLong(Commit::sequence))
        .forEach(
            commit ->
                retention.resume(
                    commit,
                    Optional.ofNullable(facts.get(commit.number())).stream()
                        .flatMap(group -> group.unchanged().stream())
                        .map(registry::find)
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
            .map(p -> new Member(registry.find(p.image()), p.path(), p.rank(), p.ranks()))
            .toList();
    if (members.stream().anyMatch(member -> explicit.has(member.image()))) {
      explicit.commitAgain(commit, members, before);
    } else if (groups.made(commit)) {
      groups.commitAgain(commit, members, before);
    } else {
      committer.commitAgain(commit, members, before, outcome -> {});
    }
  }

  /** Commits what all ranks have completed and no former I/O process has decided to commit. */
  public void commitComplete() {
    explicit.commitComplete();
  }

  /**
   * Takes over an image that was created by request for a commit under way.
   *
   * @param image the image
   */
  public void resumeByRequest(final Image image) {
    explicit.enter(image);
  }

  /**
   * Answers once a checkpoint is committed.
   *
   * @param request which
   * @param caller whom
   */
  public void await(final Request.Await request, final Caller caller) {
    waiters.add(request.checkpoint(), request.timeoutMillis(), caller);
  }

  /**
   * Answers which checkpoints are committed.
   *
   * @param caller whom
   */
  public void list(final Caller caller) {
    restarts.list(caller);
  }

  /**
   * Answers with a rebuilt copy of an image.
   *
   * @param request which
   * @param caller whom
   */
  public void restart(final Request.Restart request, final Caller caller) {
    restarts.restart(request, caller);
  }

  /** Answers those who waited long enough. */
  public void expire() {
    waiters.expire(System.nanoTime());
  }

  /**
   * How long nothing has to be done about waiting processes.
   *
   * @param limit at most
   * @return milliseconds, at least 1
   */
  public long patience(final long limit) {
    return waiters.patience(System.nanoTime(), limit);
  }

  /**
   * Takes back committed images that no checkpoint has any more.
   *
   * @throws IOException when the store or the capture directory cannot be read
   */
  public void reclaimLeftovers() throws IOException {
    leftovers.reclaim();
  }

  /**
   * Commits what no checkpoint has.
   *
   * @throws IOException when the store cannot be read
   */
  public void commitLeftovers() throws IOException {
    final long highest = store.numbers().stream().mapToLong(Long::longValue).max().orElse(0);
    leftovers.commit(highest + 1, groups.exist());
  }

  /**
   * Says what no checkpoint has, instead of committing it.
   *
   * @throws IOException when the capture directory cannot be searched
   */
  public void reportUncommitted() throws IOException {
    leftovers.reportUncommitted();
  }

  /**
   * Tells the store where files are that no checkpoint has.
   *
   * @throws IOException when that, or searching the capture directory, fails
   */
  public void noteFiles() throws IOException {
    leftovers.noteFiles();
  }

  /** Makes plain files of what is still not committed. */
  public void settleLeftovers() {
    explicit.discardAll();
    leftovers.settle();
  }

  /**
   * Tells of files that no checkpoint has, of checkpoints that could not be committed, and of files
   * that lack bytes that could not be stored.
   *
   * @throws IOException when the capture directory cannot be searched for them
   */
  public void reportLosses() throws IOException {
    shared.report();
    committer.reportFailures();
    leftovers.reportLosses();
  }

  /**
   * Removes committed images from the capture directory.
   *
   * @throws IOException when that cannot be searched
   */
  public void unlinkCommitted() throws IOException {
    leftovers.unlinkCommitted();
  }

  /** Waits until all restarts are answered. */
  @Override
  public void close() {
    restarts.close();
  }
}
