package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.ImageAttributes;
import org.sluice.core.store.node.Draft;
import org.sluice.core.store.node.DraftImage;
import org.sluice.core.store.series.RefusedException;
import org.sluice.core.store.series.RequiredRanks;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.drain.Work;
import org.sluice.iop.image.DrainedBlocks;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.MissingException;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Timed;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.shared.FilesInPlace;

/**
 * A checkpoint on its way into the store. There are two hand-offs: the service thread decides and
 * hands it to the pipeline, whose last stage hands it back once it is stored or undone. The write
 * stage, behind all chunks of the images, says where their bytes are; the last stage waits for the
 * storage.
 *
 * <p>Each thread changes the fields while the commit is its own: the pipeline's ring and the
 * service thread's queue order what one has written before what the next reads.
 *
 * <p>From the decision on the images count as committed for every process, so that none changes an
 * inode while it is linked into the store; if it fails they are what they were.
 */
public final class CheckpointCommit implements Work {
  /** The progress of a commit. */
  private enum State {
    /** The journal has it, and its images are sealed. */
    DECIDED,
    /** The last stage knows where the bytes are, and waits for storage. */
    WRITING,
    /** A restart finds it, also after a power cut. */
    STORED,
    /** The commit failed, and nothing of it counts. */
    UNDONE
  }

  private final CapturedFiles files;
  private final CheckpointStorage storage;
  private final Drain drain;
  private final Entry.Committing decision;

  /** The members whose bytes it has. */
  private final List<Entry.Part> held;

  private final List<Image> images;

  /** The members that it only names. */
  private final List<Entry.Part> direct;

  private final List<Image> directImages;

  /** Checksums of their bytes, in the same order; null before the write stage. */
  private List<DrainedBlocks> drained;

  /** The images that other nodes could have as well. */
  private final Set<Image> reachable;

  /** All of them that are logged, so that no other node may have written to them. */
  private final Set<Image> watched;

  /** The images whose names were not known at the decision: a later rename changes nothing. */
  private final Set<Image> unnamed;

  private final Drafts drafts;
  private final Draft draft;
  private final CommitOutcomes.Outcome outcome;
  private final Consumer<CheckpointCommit> ended;
  private State state = State.DECIDED;
  private IOException lost;
  private Commit stored;

  /** The commit in this node's own store, which is no commit of the series yet; null before. */
  private Commit part;

  private Entry.Ended end;
  private long endedAt;

  /** The time since when only other nodes hold it up; 0 where none can. */
  private long handedOver;

  /**
   * @param ended told on the service thread once it is stored or undone
   */
  CheckpointCommit(
      final CapturedFiles files,
      final CheckpointStorage storage,
      final Drain drain,
      final Entry.Committing decision,
      final Drafts drafts,
      final CommitOutcomes.Outcome outcome,
      final Consumer<CheckpointCommit> ended) {
    this.files = files;
    this.storage = storage;
    this.drain = drain;
    this.decision = decision;
    this.held = decision.members().stream().filter(part -> !part.direct()).toList();
    this.images = held.stream().map(this::find).toList();
    this.direct = decision.members().stream().filter(Entry.Part::direct).toList();
    this.directImages = direct.stream().map(this::find).toList();
    this.reachable = images.stream().filter(files.soleWriter()::isOf).collect(Collectors.toSet());
    this.watched =
        reachable.stream().filter(files.soleWriter()::isOfLogged).collect(Collectors.toSet());
    this.unnamed = images.stream().filter(Image::isUnnamed).collect(Collectors.toSet());
    this.ended = ended;
    this.drafts = drafts;
    this.outcome = outcome;
    this.draft = drafts.begin(decision);
  }

  private Image find(final Entry.Part part) {
    return files.registry().find(part.image());
  }

  /** Seals the images and sends the commit through the pipeline. Service thread only. */
  void begin() {
    seal();
    drain.publish(this);
  }

  /** Seals the images, and keeps all descriptors that the commit will use. */
  void seal() {
    members().forEach(image -> image.held().use());
    for (final Image image : images) {
      if (image.state() == ImageDescriptor.STATE_DIRECT) {
        try {
          image.size(image.held().status().size());
        } catch (final IOException e) {
          image.fail(e);
        }
      }
      image.state(ImageDescriptor.STATE_COMMITTED);
    }
  }

  @Override
  public void write() {
    state = State.WRITING;
    drain.turn();
    drained = directImages.stream().map(Image::takeDrained).toList();
    try {
      for (int i = 0; i < images.size(); i++) {
        final Image image = images.get(i);
        draft.images().add(drafts.join(image, describe(held.get(i), image)));
      }
    } catch (final IOException e) {
      lost = e;
    }
  }

  private DraftImage describe(final Entry.Part member, final Image image) throws IOException {
    checkWhole(member, image);
    if (watched.contains(image)) {
      files.soleWriter().check(image, member.path());
    }
    if (unnamed.contains(image)) {
      throw new MissingException(
          member.path(),
          "the file has another name by now, which is not in the capture directory; move it back,"
              + " or write it again");
    }
    final FileStatus now = image.held().status();
    return new DraftImage(
            new ImageAttributes(
                member.path(),
                member.rank(),
                member.ranks(),
                now.mode(),
                image.drainedSize(),
                image.id()),
            image.log().chunks(),
            image.held(),
            image.isOpenOutside(),
            reachable.contains(image) ? files.shared().sharing(member.path()) : null)
        .knowing(image.takeDrained().at(now.modified()));
  }

  private static void checkWhole(final Entry.Part member, final Image image) throws IOException {
    final Optional<Exception> failure = image.failure();
    if (failure.isPresent()) {
      throw failure.get() instanceof final PosixException posix
          ? posix.as(member.path() + " is lost")
          : new IOException(member.path() + ": " + failure.get().getMessage(), failure.get());
    }
    if (image.held().isLost()) {
      throw new PosixException(member.path() + " is lost", Errno.EIO);
    }
  }

  @Override
  public boolean overtakes() {
    return true;
  }

  @Override
  public void commit() throws IOException {
    if (lost != null) {
      throw lost;
    }
    storage.publisher().check();
    final long began = System.nanoTime();
    final FilesInPlace inPlace = new FilesInPlace(files.capture());
    for (int i = 0; i < direct.size(); i++) {
      checkWhole(direct.get(i), directImages.get(i));
    }
    draft.images().addAll(inPlace.describe(direct, directImages, drained));
    storage
        .store()
        .commit(
            draft,
            inStore -> {
              storage.statistics().took(Timed.COMMIT, began);
              if (storage.publisher().awaitsNodes()) {
                part = inStore;
              } else {
                stored(inStore);
              }
            });
    publish();
  }

  /**
   * Publishes the commit. Nothing of it may change from here on: any node may commit the
   * checkpoint. Last stage.
   */
  private void publish() throws IOException {
    final RequiredRanks coverage = RequiredRanks.parse(decision.coverage()).orElseThrow();
    if (part != null) {
      handedOver = System.nanoTime();
    }
    storage
        .publisher()
        .publish(
            part != null ? part : stored,
            decision.round(),
            decision.growth(),
            coverage,
            () -> stored(part),
            this::refuse);
  }

  /** The series does not have it, as far as this node knows. */
  private void refuse(final IOException failure) {
    if (part != null) {
      images.forEach(this::unshare);
    }
    undone(
        failure instanceof RefusedException
            ? new Failure(CheckpointState.REFUSED, failure.getMessage())
            : Failure.of(failure));
    drain.service().execute(() -> ended.accept(this));
  }

  /** Other nodes may commit it yet, so its files are none that this session goes on to write. */
  private void unshare(final Image image) {
    try (FileSource.Loan loan = image.held().lend()) {
      storage.store().unshare(loan.file());
    } catch (final IOException e) {
      image.fail(
          new IOException(
              "other nodes may commit checkpoint %d with this file, and it could not be copied: %s"
                  .formatted(number(), e.getMessage()),
              e));
    }
  }

  /** A former I/O process has committed it for this node. */
  void resume(final Commit inStore) {
    if (storage.publisher().awaitsNodes()) {
      part = inStore;
      drain.publish(new PutAgain(decision.attempt(), this::publish, this::refuse));
    } else {
      stored(inStore);
    }
  }

  /** Last stage, before what it supersedes goes; or on resumption, when the store has it. */
  public void stored(final Commit inStore) {
    stored = inStore;
    outcome.stored(inStore);
    end(State.STORED, 0, "");
    drain.service().execute(() -> ended.accept(this));
  }

  /**
   * Fails the commit. Images that storage has lost are not committed later on either; a stored
   * checkpoint stays committed.
   */
  @Override
  public void fail(final IOException failure) {
    if (isStored()) {
      Warnings.warn(
          "checkpoint %d is committed, but what is older stays: %s"
              .formatted(number(), failure.getMessage()));
    } else if (part != null) {
      refuse(failure);
    } else {
      drain.failLost(failure);
      members().stream()
          .filter(image -> image.held().isLost())
          .forEach(image -> image.fail(failure));
      undone(Failure.of(failure));
      drain.service().execute(() -> ended.accept(this));
    }
  }

  /** On resumption: it is not begun again, and nobody was told that it is durable. */
  void undo(final Failure failure) {
    undone(failure);
    ended.accept(this);
  }

  private void undone(final Failure failure) {
    end(State.UNDONE, failure.errno(), failure.reason());
  }

  private void end(final State how, final int errno, final String reason) {
    endedAt = System.nanoTime();
    state = how;
    end = outcome.end(errno, reason);
  }

  // ---- what became of it, on the service thread ----

  public boolean isStored() {
    return state == State.STORED;
  }

  public long number() {
    return decision.checkpoint();
  }

  public List<Image> images() {
    return images;
  }

  /** Returns the images whose files are the checkpoint's alone. */
  public List<Image> own() {
    return Stream.concat(
            images.stream(),
            direct.stream().filter(part -> !FilesInPlace.isShared(part)).map(this::find))
        .toList();
  }

  public List<Image> members() {
    return Stream.concat(images.stream(), directImages.stream()).toList();
  }

  /** Returns the commit; null unless it is stored. */
  public Commit stored() {
    return stored;
  }

  Entry.Ended end() {
    return end;
  }

  void tell() {
    outcome.committed(stored, members(), endedAt);
  }

  CommitOutcomes.Outcome outcome() {
    return outcome;
  }

  /** Returns for how long of its time the commit waited for other nodes only, in nanoseconds. */
  public long waited() {
    return handedOver == 0 ? 0 : endedAt - handedOver;
  }

  @Override
  public Subject subject() {
    return Subject.COMMIT;
  }

  @Override
  public long id() {
    return decision.attempt();
  }
}
