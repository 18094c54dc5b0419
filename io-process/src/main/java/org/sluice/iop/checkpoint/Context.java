package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.sluice.core.posix.Names;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.Segment;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.node.HeldLinks;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Descriptors;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.OutsideReaders;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.shared.SoleWriter;

/**
 * The parts that the classes of a session share. Service thread only, unless a part says otherwise.
 *
 * @param segment where the processes append
 * @param store where checkpoints are committed
 * @param publisher where they count
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
    Publisher publisher,
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
   * Creates the shared parts of a session, with a drain that has begun.
   *
   * @param segment where the processes append
   * @param store where checkpoints are committed
   * @param publisher where they count
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
      final Publisher publisher,
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
    if (settings.checkpoints().alone().isPresent()) {
      publisher.checkPrivateFiles();
    }
    return new Context(
        segment,
        store,
        publisher,
        settings,
        node,
        segment.header().sessionId(),
        new ImageRegistry(
            segment.imageTable(),
            state.images(),
            journal,
            protection,
            descriptors(segment, store, state)),
        new Drain(segment, state.images().layout(), store, node, statistics, journal),
        capture,
        statistics,
        journal,
        state,
        service,
        new SharedFiles(settings.checkpoints(), capture, statistics),
        new SoleWriter(capture, segment.imageTable()),
        new Waiters(publisher.committedBefore(state.leaving().keySet()), state),
        new IncrementalSources(store, segment.header().sessionId()),
        Predecessors.of(
            publisher.hasNodes() && !capture.isShared() ? "" : captured,
            store,
            publisher,
            segment.header().sessionId(),
            state));
  }

  /**
   * The highest number of a checkpoint that is there; all nodes of a run find the same.
   *
   * @return 0 for none
   * @throws IOException when the store cannot be read
   */
  public long lastNumber() throws IOException {
    final LongStream here = store.numbers().stream().mapToLong(Long::longValue);
    return LongStream.concat(here, publisher.numbersBefore()).max().orElse(0);
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

  /** Returns where drained bytes land. */
  public Layout layout() {
    return drain.layout();
  }

  /** Returns the rule by which files are one checkpoint. */
  public Grouping grouping() {
    return settings.checkpoints().grouping();
  }

  /**
   * Returns whether names of files tell of checkpoints.
   *
   * @return false where no option says which
   */
  public boolean hasGroups() {
    return grouping().exists();
  }

  /** Returns whether a checkpoint may miss a file that nobody captures. */
  public boolean mayHaveCheckpoints() {
    return hasGroups() || layout().impliesCheckpoints();
  }

  /**
   * Returns whether a checkpoint has an image by its name, so that its file stays in its place.
   *
   * @param image an image of the session
   */
  public boolean isNamed(final Image image) {
    return layout().commitsNames() && image.created() == null;
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
