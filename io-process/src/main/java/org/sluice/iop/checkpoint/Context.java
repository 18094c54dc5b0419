package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.sluice.core.posix.Names;
import org.sluice.core.segment.Segment;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.node.HeldLinks;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.group.Grouping;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Descriptors;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.OutsideReaders;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.publish.SeriesCommits;
import org.sluice.iop.shared.SoleWriter;

/**
 * What all parts of a session share. Service thread only, unless a part says otherwise.
 *
 * @param segment where the processes append
 * @param store where checkpoints are committed
 * @param series where they count once all nodes have committed theirs; null without other nodes
 * @param copies takes them to other nodes, once this node has committed them; null without a stage
 * @param settings how they are made
 * @param node this node's name
 * @param sessionId read once: what is in the segment may be anything later on
 * @param registry the images
 * @param drain the pipeline
 * @param capture where captured files are
 * @param statistics learns what happens
 * @param journal learns what is decided
 * @param state what it says of checkpoints and images
 * @param service runs what it is given on the service thread
 * @param shared files that other nodes may write, too
 * @param soleWriter sees that they do not write the others
 * @param waiters processes that wait for a commit
 * @param bases checkpoints that have bytes of later ones; the write stage's
 * @param predecessors what earlier sessions committed, which this one must not replace
 */
public record Context(
    Segment segment,
    PosixStore store,
    SeriesCommits series,
    BucketUploader copies,
    SessionSettings settings,
    String node,
    long sessionId,
    ImageRegistry registry,
    Drain drain,
    CaptureDirectory capture,
    Statistics statistics,
    Journal journal,
    CheckpointState state,
    Executor service,
    SharedFiles shared,
    SoleWriter soleWriter,
    Waiters waiters,
    IncrementalSources bases,
    Predecessors predecessors) {
  /**
   * What the parts of a session share, with a drain that has begun.
   *
   * @param segment where the processes append
   * @param store where checkpoints are committed
   * @param series where they count; null without other nodes
   * @param copies takes them to other nodes; null without a stage
   * @param settings how they are made
   * @param statistics learns what happens
   * @param journal learns what is decided
   * @param state what it says so far
   * @param protection of images whose own files do not hold everything
   * @param service runs what it is given on the service thread
   * @return without images, which a resumption brings
   * @throws IOException when the kernel or the store refuses
   */
  public static Context of(
      final Segment segment,
      final PosixStore store,
      final SeriesCommits series,
      final BucketUploader copies,
      final SessionSettings settings,
      final Statistics statistics,
      final Journal journal,
      final CheckpointState state,
      final OutsideReaders protection,
      final Executor service)
      throws IOException {
    final String captured = segment.header().capture();
    final CaptureDirectory capture =
        new CaptureDirectory(
            captured.isEmpty() ? null : captured,
            Names.real(SeriesDirectory.root(store.directory()).toString()));
    final String node = NodeIdentity.self().name();
    final SeriesCommits ofNodes = copies != null ? copies.series() : series;
    if (ofNodes != null && settings.alone() != null) {
      ofNodes.checkPrivateFiles();
    }
    return new Context(
        segment,
        store,
        series,
        copies,
        settings,
        node,
        segment.header().sessionId(),
        new ImageRegistry(
            segment.imageTable(),
            state.images(),
            journal,
            protection,
            descriptors(segment, store, state)),
        new Drain(segment, store, node, statistics, journal),
        capture,
        statistics,
        journal,
        state,
        service,
        new SharedFiles(settings, capture, statistics),
        new SoleWriter(capture, segment.imageTable()),
        new Waiters(before(store, series, copies, state), state),
        new IncrementalSources(store, segment.header().sessionId()),
        Predecessors.of(
            ofNodes == null || capture.isShared() ? captured : "",
            store,
            ofNodes,
            segment.header().sessionId(),
            state));
  }

  /**
   * Whether a checkpoint counts before the session. Where each of many nodes would read the parts
   * of all, that is found when a process waits for one.
   */
  private static LongPredicate before(
      final PosixStore store,
      final SeriesCommits series,
      final BucketUploader copies,
      final CheckpointState state)
      throws IOException {
    if (copies != null) {
      return copies.committed(state.leaving().keySet())::contains;
    }
    if (series == null) {
      return store.commits(damaged -> {}).stream()
              .filter(commit -> !commit.incomplete())
              .map(Commit::number)
              .collect(Collectors.toSet())
          ::contains;
    }
    return number -> {
      try {
        return series.view().isCommitted(number);
      } catch (final IOException e) {
        Warnings.warn(
            "whether checkpoint %d is committed cannot be told: %s"
                .formatted(number, e.getMessage()));
        return false;
      }
    };
  }

  /**
   * The highest number of a checkpoint that is there; all nodes of a run find the same.
   *
   * @return 0 for none
   * @throws IOException when the store cannot be read
   */
  public long lastNumber() throws IOException {
    final LongStream here = store.numbers().stream().mapToLong(Long::longValue);
    return LongStream.concat(here, numbersBefore()).max().orElse(0);
  }

  private LongStream numbersBefore() throws IOException {
    return copies != null
        ? copies.numbersBefore()
        : series != null ? series.numbersBefore() : LongStream.empty();
  }

  /** Whether other nodes may have parts of the checkpoints. */
  boolean hasNodes() {
    return series != null || copies != null;
  }

  /**
   * A process waits for a checkpoint.
   *
   * @param number its number
   */
  public void hurry(final long number) {
    if (ofAllNodes() != null) {
      ofAllNodes().hurry(number);
    }
  }

  /** Whether a commit of this node's store counts: on a stage for this node, else for all. */
  boolean counts(final Commit commit) throws IOException {
    return copies != null
        ? store.find(commit.number()).filter(newest -> newest.id() == commit.id()).isPresent()
        : series == null || series.view().counts(commit);
  }

  /** Reads what a restart sees, of all nodes. */
  <T> T read(final Restarts.Reading<T> reading) throws IOException {
    final SeriesCommits all = ofAllNodes();
    if (all == null) {
      return reading.of(store);
    }
    try (CheckpointReader reader = all.view().open()) {
      return reading.of(reader);
    }
  }

  /** Whether what a wait is for, and so what is read, is on this node's stage alone. */
  boolean isContentWithStage() {
    return copies != null && !copies.areGlobal();
  }

  /** Reads what a restart sees that was copied to the bucket, be it by an earlier run. */
  <T> T readBucket(final Restarts.Reading<T> reading) throws IOException {
    try (CheckpointReader reader = copies.series().view().open()) {
      return reading.of(reader);
    }
  }

  /** What a wait is for; null where this node's own store decides. */
  private SeriesCommits ofAllNodes() {
    return copies != null && copies.areGlobal() ? copies.series() : series;
  }

  /** The links of images that no former I/O process had at rest are nobody's. */
  private static Descriptors descriptors(
      final Segment segment, final PosixStore store, final CheckpointState state)
      throws IOException {
    final HeldLinks links = store.heldLinks(segment.header().sessionId());
    return new Descriptors(
        links,
        links.resume(state.images().all().stream().map(Image::id).collect(Collectors.toSet())));
  }

  /** Which files are one checkpoint; null when files are not grouped. */
  Grouping grouping() {
    return settings.grouping();
  }

  /**
   * Whether names of files tell of checkpoints.
   *
   * @return false where no option says which
   */
  public boolean hasGroups() {
    return grouping() != null;
  }

  /**
   * Whether a checkpoint has an image by its name, and its file stays where it is.
   *
   * @param image an image of the session
   */
  boolean isNamed(final Image image) {
    return drain.isInPlace() && image.created() == null;
  }

  /**
   * Writes a decision down, and then applies it.
   *
   * @param decision what nobody may know before
   */
  public void decide(final Entry decision) {
    state.apply(journal.write(decision));
  }

  /**
   * Does something once all that was asked of the drain before is done.
   *
   * @param step what, on the service thread
   */
  public void afterwards(final Runnable step) {
    drain.afterwards(() -> service.execute(step));
  }
}
