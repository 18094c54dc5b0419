package org.sluice.iop.trigger;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.sluice.core.libc.Errno;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.Quoting;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.format.ImagePath;
import org.sluice.core.store.model.CheckpointName;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Completion;
import org.sluice.iop.checkpoint.CheckpointCommit;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.CommitRanks;
import org.sluice.iop.checkpoint.Committer;
import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.checkpoint.ExplicitCheckpoint;
import org.sluice.iop.checkpoint.ImageRelease;
import org.sluice.iop.checkpoint.IncrementalSources;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.NotCapturedException;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.retention.Retention;

/** The checkpoints under way that ranks began by request. Service thread only. */
public final class ExplicitCheckpoints {
  private static final long NO_BASE = -1;
  private static final long OVERDUE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long TOLD = 0;
  private static final String NOTHING =
      "it has nothing: no rank made an image, or a file in the capture directory";

  private final Decisions decisions;
  private final CheckpointStorage storage;
  private final ImageRegistry registry;
  private final int writers;
  private final Committer committer;
  private final Retention retention;
  private final ImageRelease releases;
  private final CheckpointFiles files;
  private final Map<Long, ExplicitCheckpoint> underWay;
  private final Set<Image> images = new HashSet<>();

  /** The receiver of files that are in no checkpoint any more. */
  private Consumer<Image> plain = file -> {};

  private Consumer<Image> passedOn = file -> {};

  /** The times at which a line is due on complete checkpoints that wait. */
  private final Map<ExplicitCheckpoint, Long> waiting = new HashMap<>();

  private Runnable atEnd = () -> {};

  /** The last commit that this process knows of; null for none. */
  private Commit last;

  ExplicitCheckpoints(
      final Decisions decisions,
      final CheckpointStorage storage,
      final CheckpointFiles files,
      final int writers,
      final Committer committer,
      final Retention retention,
      final ImageRelease releases) {
    this.decisions = decisions;
    this.storage = storage;
    this.registry = files.registry();
    this.files = files;
    this.underWay = decisions.state().underWay();
    this.writers = writers;
    this.committer = committer;
    this.retention = retention;
    this.releases = releases;
  }

  /** Begins a checkpoint, or a rank's part of it, which the process fills from here on. */
  public Reply begin(final Request.Begin request, final Writer beginner) {
    final long number = request.checkpoint();
    final Optional<String> obstacle = files.obstacle(number, beginner);
    if (obstacle.isPresent()) {
      return new Reply.Failed(Errno.EBUSY, obstacle.get());
    }
    final ExplicitCheckpoint known = underWay.get(number);
    if (known != null && files.isTaken(known, beginner)) {
      return new Reply.Failed(
          Errno.EEXIST,
          "another process has rank %d of checkpoint %d; each needs a rank of its own"
              .formatted(beginner.rank(), number));
    }
    files.outlived(number, beginner).ifPresent(its -> giveUp(its, outlived(beginner.rank())));
    final Reply begun =
        begin(number, request.ranks(), new Manner(false, request.bound() != 0), beginner);
    if (begun instanceof Reply.Done) {
      files.fill(underWay.get(number), beginner).forEach(this::leave);
    }
    return begun;
  }

  private static Failure outlived(final int rank) {
    return new Failure(
        Errno.ESTALE,
        "rank %d begins it behind the kill of a process that had written to it; each rank has to begin it again"
            .formatted(rank));
  }

  private void leave(final Image image) {
    if (image.created() == null) {
      plain.accept(image);
    } else {
      discard(image);
    }
  }

  /**
   * Returns why a checkpoint that a rank waits for was given up, where others have begun the number
   * anew since. The rank may have asked just before, and would wait for itself.
   */
  public Optional<Reply> former(final long number, final int rank) {
    return Optional.ofNullable(underWay.get(number))
        .filter(checkpoint -> rank >= 0 && rank < checkpoint.ranks())
        .flatMap(checkpoint -> checkpoint.former(rank))
        .map(ExplicitCheckpoints::givenUp);
  }

  private static Reply givenUp(final Entry.Ended end) {
    return new Reply.Failed(
        end.errno(), "checkpoint %d is given up: %s".formatted(end.checkpoint(), end.reason()));
  }

  private static Reply begunAnew(final ExplicitCheckpoint checkpoint, final int rank) {
    return new Reply.Failed(
        Errno.ESTALE,
        "checkpoint %d was given up and begun anew; rank %d has to begin it again"
            .formatted(checkpoint.number(), rank));
  }

  /** Takes a file that a process has just created or emptied: the checkpoint that it fills. */
  public void written(final Image file, final Writer process) {
    if (file.created() == null) {
      files.take(file, process).ifPresent(former -> giveUpWithout(file, former));
    }
  }

  private void giveUpWithout(final Image file, final ExplicitCheckpoint former) {
    giveUp(
        former,
        new Failure(
            Errno.ESTALE, "%s was written anew before the commit".formatted(files.path(file))));
  }

  /**
   * Returns the reason for which a process cannot add files to a checkpoint; empty when it fills
   * the checkpoint.
   */
  public Optional<Reply> obstacle(final long number, final Writer process) {
    return files.filledBy(process).filter(its -> its.checkpoint() == number).isPresent()
        ? Optional.empty()
        : Optional.of(
            invalid("this process has no checkpoint %d open; begin that first".formatted(number)));
  }

  /** Adds a file to a checkpoint that a process fills. */
  public Reply add(final Image file, final long number, final Writer process) {
    return files
        .add(file, number, process)
        .<Reply>map(
            why ->
                new Reply.Failed(
                    Errno.EEXIST,
                    "%s cannot be of checkpoint %d: %s".formatted(files.path(file), number, why)))
        .orElse(new Reply.Text(""));
  }

  /** Has a checkpoint that a process fills wait for a file. */
  public Reply expect(final String path, final long number, final Writer process) {
    return files
        .expect(path, number, process)
        .<Reply>map(
            other ->
                new Reply.Failed(
                    Errno.EEXIST,
                    "%s cannot be of checkpoint %d: checkpoint %d waits for it"
                        .formatted(Quoting.name(path), number, other.number())))
        .orElse(new Reply.Text(""));
  }

  /** Takes a file that has another name by now, which a checkpoint may wait for. */
  public void renamed(final Image file) {
    if (file.created() == null && files.find(file)) {
      closed(file);
    }
  }

  /** Commits a checkpoint that has waited for the close of a file, once nobody has it open. */
  public void closed(final Image file) {
    if (file.isPassedOn() && decisions.state().isUnderWay(file)) {
      passedOn.accept(file);
    }
    released(file);
  }

  /** Commits a checkpoint that has waited for a file which programs had open without a word. */
  public void released(final Image file) {
    final Entry.Added added = file.added();
    final ExplicitCheckpoint checkpoint = added == null ? null : underWay.get(added.checkpoint());
    if (checkpoint != null) {
      commitIfDue(checkpoint);
    }
  }

  /** Sets the receiver of closed files that other programs may have got by a fork or an exec. */
  public void passedOn(final Consumer<Image> receiver) {
    passedOn = receiver;
  }

  public boolean areUnderWay() {
    return !underWay.isEmpty();
  }

  /** Takes a file that is an image already: a former I/O process may have got no further. */
  public void arrivedAgain(final Image file, final Writer mover) {
    if (file.added() == null && !file.isCommitted()) {
      written(file, mover);
    }
  }

  public boolean isExpected(final String path) {
    return files.isExpected(path);
  }

  /** Returns whether a file that a process moves to a path becomes one of a checkpoint. */
  public boolean takes(final Writer mover, final String path) {
    return files.takes(mover, path);
  }

  /** Notes that a process opens a file for writing as it is. */
  public void reopened(final Image file, final Writer process) {
    files.reopened(file, process).ifPresent(former -> giveUpWithout(file, former));
  }

  /** Notes that a process opens a file for writing that is no image, and was there before. */
  public void existing(final Writer process, final ImageKey key, final String path) {
    files.existing(process, key, path);
  }

  /**
   * Commits checkpoints of which all is there, and gives up those that expect a file which a
   * program has written past the shim. Of others that wait for long it tells.
   */
  public void beat() {
    files.announce();
    for (final ExplicitCheckpoint checkpoint : List.copyOf(underWay.values())) {
      commitIfDue(checkpoint);
      if (underWay.containsValue(checkpoint)) {
        files.untold(checkpoint).ifPresent(path -> giveUp(checkpoint, untold(path)));
        files.orphan(checkpoint).ifPresent(rank -> giveUp(checkpoint, orphaned(rank)));
      }
    }
    waiting.keySet().retainAll(underWay.values());
    underWay.values().stream()
        .filter(checkpoint -> checkpoint.isComplete() && !checkpoint.isHeld())
        .filter(this::isOverdue)
        .forEach(
            checkpoint ->
                Warnings.warn(
                    "checkpoint %d is not committed yet: %s"
                        .formatted(checkpoint.number(), checkpoint.progress())));
    files.look();
  }

  /** Answers for a checkpoint that is under way no more. */
  private Reply ended(final long number) {
    final Entry.Ended end = decisions.state().givenUp(number);
    return end == null ? new Reply.Done() : givenUp(end);
  }

  /** Returns, once, that a complete checkpoint has waited for long. */
  private boolean isOverdue(final ExplicitCheckpoint checkpoint) {
    final long now = System.nanoTime();
    final Long told = waiting.putIfAbsent(checkpoint, now + OVERDUE_NANOS);
    final boolean over = told != null && told != TOLD && now - told > 0;
    if (over) {
      waiting.put(checkpoint, TOLD);
    }
    return over;
  }

  private static Failure orphaned(final int rank) {
    return new Failure(
        Errno.ECANCELED,
        "the process of rank %d ended before its part was complete".formatted(rank));
  }

  private static Failure untold(final String path) {
    return new Failure(
        Errno.ENOENT,
        "%s was written by a program that the shim is not in; add it when it is whole"
            .formatted(Quoting.name(path)));
  }

  /** Gives up the checkpoint that a process fills: a file that it created is no image. */
  public void lacks(final Writer process, final String path, final String why) {
    giveUp(process, "%s was not captured: %s".formatted(Quoting.name(path), why));
  }

  private void giveUp(final Writer process, final String why) {
    files
        .filledBy(process)
        .map(filling -> underWay.get(filling.checkpoint()))
        .ifPresent(checkpoint -> giveUp(checkpoint, new Failure(Errno.EINVAL, why)));
  }

  /**
   * Gives up a checkpoint whose files nobody knows, as the process that completes it got no slot
   * for its shim. A process that has made images by request may write no files at all.
   */
  public void unseen(final Request.Complete request, final int pid) {
    final ExplicitCheckpoint checkpoint = underWay.get(request.checkpoint());
    final String why = "what process %d opens is not captured, as it got no slot".formatted(pid);
    if (checkpoint == null || checkpoint.completion() == Completion.MPI) {
      return;
    }
    if (!checkpoint.images(request.rank()).isEmpty()) {
      Warnings.warn("checkpoint %d has no files: %s".formatted(checkpoint.number(), why));
    } else {
      giveUp(checkpoint, new Failure(Errno.EINVAL, why));
    }
  }

  /** Gives up a checkpoint that a rank has begun and not completed, as it says. */
  public Reply cancel(final long number, final Writer process) {
    final int rank = process.rank();
    if (!isOpen(number, rank)) {
      return notOpen(number, rank);
    }
    giveUp(
        underWay.get(number),
        new Failure(Errno.ECANCELED, "rank %d cancelled it".formatted(rank)),
        !underWay.get(number).isBound());
    return new Reply.Done();
  }

  /**
   * Takes the end of a session. The checkpoint that the process fills by it cannot have all of its
   * files, as those that it writes from here on are in none.
   */
  public void left(final Writer process) {
    files.filledBySlot(process).ifPresent(checkpoint -> leave(checkpoint, process.rank()));
  }

  private void leave(final ExplicitCheckpoint checkpoint, final int rank) {
    final String left = "rank %d closed its session before its part was complete".formatted(rank);
    if (!checkpoint.files(rank).isEmpty()) {
      giveUp(
          checkpoint,
          new Failure(Errno.ECANCELED, "%s; files=%d".formatted(left, checkpoint.files().size())));
    } else {
      Warnings.warn(
          "checkpoint %d gets no files of rank %d any more: %s"
              .formatted(checkpoint.number(), rank, left));
    }
  }

  /** Returns whether a rank has begun a checkpoint and not completed it. */
  private boolean isOpen(final long number, final int rank) {
    final ExplicitCheckpoint checkpoint = underWay.get(number);
    return checkpoint != null
        && checkpoint.completion() != Completion.MPI
        && checkpoint.isBegunBy(rank)
        && !checkpoint.isCompletedBy(rank);
  }

  private static Reply notOpen(final long number, final int rank) {
    return invalid("rank %d has no checkpoint %d open".formatted(rank, number));
  }

  /** Names a checkpoint that a rank has begun and not completed. */
  public Reply name(final Request.Name request, final Writer process) {
    final long number = request.checkpoint();
    if (!isOpen(number, process.rank())) {
      return notOpen(number, process.rank());
    }
    if (!CheckpointName.isValid(request.name())) {
      return invalid(CheckpointName.refusal(request.name()));
    }
    final String given = underWay.get(number).name();
    if (!given.isEmpty() && !given.equals(request.name())) {
      return new Reply.Failed(
          Errno.EEXIST,
          "checkpoint %d cannot be called %s: it is called %s already"
              .formatted(number, Quoting.name(request.name()), Quoting.name(given)));
    }
    decisions.decide(new Entry.Named(number, request.name()));
    return new Reply.Done();
  }

  private void giveUp(final ExplicitCheckpoint checkpoint, final Failure why) {
    giveUp(checkpoint, why, true);
  }

  /**
   * Ends a checkpoint without a commit: its files are plain files. The journal has the end before
   * that has any effect.
   */
  private void giveUp(
      final ExplicitCheckpoint checkpoint, final Failure why, final boolean isSaid) {
    if (underWay.get(checkpoint.number()) != checkpoint) {
      return;
    }
    final List<Image> its = checkpoint.files();
    final List<Image> images = checkpoint.images();
    committer.giveUp(checkpoint.number(), why, isSaid);
    files.announce();
    images.forEach(this::discard);
    its.forEach(plain);
  }

  /** Sets the receiver of files that are in no checkpoint any more. */
  void plain(final Consumer<Image> receiver) {
    plain = receiver;
  }

  /** Begins a checkpoint that is committed only after a decision. */
  public Reply hold(final Request.Hold request, final Writer beginner) {
    return begin(request.checkpoint(), request.ranks(), new Manner(true, false), beginner);
  }

  /**
   * The manner in which a checkpoint is begun.
   *
   * @param held whether it is committed only after a decision
   * @param bound whether it is given up when a process ends before its part is complete
   */
  private record Manner(boolean held, boolean bound) {}

  private Reply begin(
      final long number, final int ranks, final Manner manner, final Writer beginner) {
    if (number < 0 || ranks < 1) {
      return invalid("no checkpoint %d of %d ranks".formatted(number, ranks));
    }
    final ExplicitCheckpoint known = underWay.get(number);
    if (known != null && (known.ranks() != ranks || manner.held() && !known.isHeld())) {
      return invalid(
          "checkpoint %d was begun with %d ranks%s"
              .formatted(known.number(), known.ranks(), known.isHeld() ? "" : ", to be committed"));
    }
    if (known == null) {
      final Entry.Scope scope = scope(ranks, manner, beginner);
      if (scope.expected() == 0) {
        return invalid("checkpoint %d: %s".formatted(number, CommitRanks.unknown(ranks)));
      }
      try {
        storage.store().claim();
      } catch (final IOException e) {
        return new Reply.Failed(Errno.EIO, e.getMessage());
      }
      decisions.decide(new Entry.Begun(number, scope));
      committer.begun(number);
    }
    return new Reply.Done();
  }

  /**
   * Returns the ranks that complete a checkpoint. A job with more ranks than run on this node has
   * others on other nodes.
   */
  private Entry.Scope scope(final int ranks, final Manner manner, final Writer beginner) {
    final boolean spread = beginner.ranks() == ranks && beginner.isOfSeveralNodes();
    final int local = spread ? beginner.localRanks() : ranks;
    return new Entry.Scope(
        ranks, local > 0 ? local : Math.min(writers, ranks), spread, manner.held(), manner.bound());
  }

  /**
   * Creates an image of a checkpoint.
   *
   * @param admitted takes the image, whose file is {@code image.opened()}, and returns the reply
   */
  public Reply create(
      final Request.Create request, final Writer creator, final Function<Image, Reply> admitted) {
    final ExplicitCheckpoint checkpoint = underWay.get(request.checkpoint());
    if (checkpoint == null
        || request.rank() < 0
        || request.rank() >= checkpoint.ranks()
        || !ImagePath.isValid(request.name())) {
      return invalid(
          ("rank %d cannot create image '%s' of checkpoint %d; "
                  + "begin that first, for all ranks, and give a path without '..'")
              .formatted(request.rank(), request.name(), request.checkpoint()));
    }
    if (checkpoint.former(request.rank()).isPresent()) {
      return begunAnew(checkpoint, request.rank());
    }
    if (checkpoint.find(request.rank(), name(request)).stream()
        .anyMatch(image -> isUsed(image, creator))) {
      return new Reply.Failed(
          Errno.EEXIST,
          "rank %d has written image %s of checkpoint %d already; give it another name"
              .formatted(request.rank(), request.name(), request.checkpoint()));
    }
    try {
      return admitted.apply(create(checkpoint, request));
    } catch (final NotCapturedException e) {
      return new Reply.Failed(Errno.ENOSPC, e.getMessage());
    } catch (final IOException e) {
      return new Reply.Failed(Errno.EIO, e.getMessage());
    }
  }

  /**
   * Returns whether a process has closed an image. A process may repeat its request when the I/O
   * process was resumed, since the answer was lost. Then the image is open or abandoned. Another
   * process may have come after a kill.
   */
  private static boolean isUsed(final Image image, final Writer creator) {
    return image.openers().isEmpty()
        && !image.isAbandoned()
        && image.writer().process() == creator.process();
  }

  private Image create(final ExplicitCheckpoint checkpoint, final Request.Create request)
      throws IOException, NotCapturedException {
    final NativeFile file = storage.store().createImageFile();
    final Image image = registry.admit(file, ImageDescriptor.STATE_DIVERTED);
    images.add(image);
    final Optional<Image> before = checkpoint.find(request.rank(), name(request));
    decisions.decide(
        new Entry.Created(
            image.id(), checkpoint.number(), request.rank(), name(request), NO_BASE, ""));
    before.ifPresent(this::discard);
    return image;
  }

  /** Returns the name of an image, or of the copy of a file. */
  private static String name(final Request.Create request) {
    return request.ranks() == 0 ? ExplicitCheckpoint.copy(request.name()) : request.name();
  }

  /** Lets an image reuse bytes of the checkpoint that was committed last. */
  public Reply reuse(final Image image, final Request.Reuse request) {
    final Entry.Created made = image.created();
    if (made == null || !underWay.containsKey(made.checkpoint())) {
      return invalid("image %d is of no checkpoint under way".formatted(image.id()));
    }
    final String pieces = made.pieces() + request.pieces();
    try {
      IncrementalSources.pieces(pieces);
    } catch (final IllegalArgumentException e) {
      return invalid(
          "image %s cannot have this of another: %s".formatted(made.name(), e.getMessage()));
    }
    if (last == null
        || last.number() != request.base()
        || !retention.keeps(last)
        || made.base() != NO_BASE && made.base() != request.base()) {
      return new Reply.Failed(
          Errno.ESTALE, "checkpoint %d is not the one committed last".formatted(request.base()));
    }
    if (made.base() == NO_BASE && !retention.budget().isFor(last)) {
      return new Reply.Failed(Errno.ESTALE, "checkpoints have too much of older ones");
    }
    decisions.decide(
        new Entry.Created(
            made.image(), made.checkpoint(), made.rank(), made.name(), request.base(), pieces));
    return new Reply.Done();
  }

  /**
   * Takes over checkpoints under way, and drops images that no checkpoint needs any more. Images of
   * commits under way stay.
   */
  void resume(final Set<Image> committing) {
    underWay.keySet().forEach(committer::begun);
    for (final Image image : registry.all()) {
      if (image.created() != null) {
        images.add(image);
        if (!committing.contains(image)
            && underWay.values().stream().noneMatch(each -> each.images().contains(image))) {
          discard(image);
        }
      }
    }
  }

  /**
   * Deletes the files of a checkpoint whose commit has ended. No process needs them: the checkpoint
   * is in the store, or never will be.
   */
  void ended(final CheckpointCommit commit) {
    final boolean goesOn =
        commit.images().stream()
            .anyMatch(image -> image.created() != null && image.created().base() != NO_BASE);
    final List<Image> captured =
        commit.own().stream().filter(image -> image.created() == null).toList();
    commit.images().stream().filter(image -> image.created() != null).forEach(this::discard);
    if (commit.isStored()) {
      last = commit.stored();
      retention.committed(commit.stored(), captured);
      retention.budget().committed(goesOn);
    } else {
      captured.forEach(plain);
    }
  }

  public Reply complete(final Request.Complete request, final int slot, final long number) {
    final ExplicitCheckpoint checkpoint = underWay.get(request.checkpoint());
    if (checkpoint == null && decisions.state().givenUp(request.checkpoint()) != null) {
      return ended(request.checkpoint());
    }
    if (checkpoint == null || request.rank() < 0 || request.rank() >= checkpoint.ranks()) {
      return invalid(
          "rank %d began no checkpoint %d".formatted(request.rank(), request.checkpoint()));
    }
    if (checkpoint.former(request.rank()).isPresent()) {
      return begunAnew(checkpoint, request.rank());
    }
    final List<Image> open = checkpoint.openImages(request.rank());
    if (!open.isEmpty()) {
      return new Reply.Failed(
          Errno.EBUSY,
          "rank %d still has %d images of checkpoint %d open"
              .formatted(request.rank(), open.size(), checkpoint.number()));
    }
    files.complete(checkpoint, request.rank());
    lookOutside(checkpoint);
    if (underWay.get(checkpoint.number()) != checkpoint) {
      return ended(checkpoint.number()); // the rank had completed it before
    }
    if (checkpoint.endsEmpty(request.rank())) {
      final Failure why = new Failure(Errno.ENODATA, NOTHING);
      giveUp(checkpoint, why);
      return new Reply.Failed(
          why.errno(), "checkpoint %d: %s".formatted(checkpoint.number(), NOTHING));
    }
    decisions.decide(new Entry.Completed(request.checkpoint(), request.rank(), slot, number));
    files.announce();
    commitIfDue(checkpoint);
    return new Reply.Done();
  }

  private void commitIfDue(final ExplicitCheckpoint checkpoint) {
    if (underWay.get(checkpoint.number()) != checkpoint
        || !checkpoint.isComplete()
        || checkpoint.isHeld()
        || !files.areClosed(checkpoint)) {
      return;
    }
    final Optional<Failure> lack = files.look(checkpoint);
    if (lack.isPresent()) {
      giveUp(checkpoint, lack.get());
    } else {
      earlier(checkpoint).forEach(this::lookOutside);
      earlier(checkpoint).forEach(this::commitIfDue);
      earlier(checkpoint).forEach(other -> giveUp(other, overtaken(other, checkpoint)));
      commit(checkpoint);
    }
  }

  /** Looks once more for programs that have files open without a word. */
  private void lookOutside(final ExplicitCheckpoint checkpoint) {
    checkpoint.files().stream().filter(Image::isOpenOutside).forEach(passedOn);
  }

  /** Returns complete checkpoints that were begun before, and still wait for a file. */
  private List<ExplicitCheckpoint> earlier(final ExplicitCheckpoint checkpoint) {
    return underWay.values().stream()
        .takeWhile(other -> other != checkpoint)
        .filter(other -> other.isComplete() && !other.isHeld())
        .toList();
  }

  /** Committed later, it would be the newest for a restart. */
  private static Failure overtaken(
      final ExplicitCheckpoint checkpoint, final ExplicitCheckpoint later) {
    return new Failure(
        Errno.ESTALE,
        "checkpoint %d is whole before it: %s".formatted(later.number(), checkpoint.progress()));
  }

  /**
   * Commits or drops a held checkpoint. The journal gets the decision before it has any effect: the
   * successor of a killed I/O process commits what was decided, and only that. The images of a
   * dropped checkpoint are gone, and a rank that completes its part later is refused. A decision is
   * final.
   */
  public void decide(final long number, final boolean commits) {
    final ExplicitCheckpoint checkpoint = underWay.get(number);
    if (checkpoint == null || !checkpoint.isHeld()) {
      return;
    }
    final List<Image> held = checkpoint.images();
    decisions.decide(new Entry.Decided(number, commits));
    if (commits) {
      commitIfDue(checkpoint);
    } else {
      held.forEach(this::discard);
    }
  }

  public List<Long> undecided() {
    return underWay.values().stream()
        .filter(ExplicitCheckpoint::isHeld)
        .map(ExplicitCheckpoint::number)
        .toList();
  }

  private void commit(final ExplicitCheckpoint checkpoint) {
    committer.commit(
        checkpoint.number(),
        checkpoint.name(),
        true,
        checkpoint.commitRanks(),
        checkpoint.completion(),
        checkpoint.members(files.paths(checkpoint)),
        this::ended);
  }

  /**
   * Commits checkpoints that were complete when the former I/O process was killed, before it
   * decided.
   */
  public void commitComplete() {
    List.copyOf(underWay.values()).forEach(this::commitIfDue);
  }

  private static Reply invalid(final String message) {
    return new Reply.Failed(Errno.EINVAL, message);
  }

  /**
   * Sets the action that tells, at the end of the session, the one that decides about held
   * checkpoints.
   */
  public void atEnd(final Runnable told) {
    atEnd = told;
  }

  /** Drops incomplete checkpoints at the end of the session. Held ones are not warned of here. */
  public void discardAll() {
    atEnd.run();
    for (final ExplicitCheckpoint checkpoint : underWay.values()) {
      if (!checkpoint.isHeld()) {
        Warnings.warn(
            "checkpoint %d is dropped: %s".formatted(checkpoint.number(), checkpoint.progress()));
      }
      checkpoint.images().forEach(this::discard);
      checkpoint.files().forEach(Image::leave);
    }
    underWay.clear();
  }

  /**
   * Returns whether an image was created by request, so that it has no name in the capture
   * directory.
   */
  public boolean has(final Image image) {
    return images.contains(image);
  }

  void discard(final Image image) {
    images.remove(image);
    try {
      Names.delete(image.opened());
    } catch (final IOException e) {
      Warnings.warn("cannot delete " + image.opened() + ": " + e.getMessage());
    }
    releases.release(image);
  }
}
