package org.sluice.iop.image;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.sluice.core.libc.PosixException;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.iop.journal.Entry;

/**
 * The state of an image by the journal's entries. The image need not have its file: a journal is
 * also added up to be rewritten. Service thread only, but for the log.
 */
abstract class ImageState {
  private final Entry.Admitted admitted;
  private final ImageLog log;
  private final Openers openers = new Openers();

  /** The slots with a grant. Most images are opened by one slot. */
  private Set<Integer> granted = Set.of();

  private Entry.Created created;
  private Entry.Added added;
  private String untaken = "";
  private Writer writer = Writer.nobody();

  /**
   * The other ranks that wrote the image before, in a job of several nodes, where no count tells
   * who shares a file.
   */
  private List<Writer> others = List.of();

  private int state;
  private boolean committed;
  private long written;
  private long closed;
  private long begun;
  private long whole;
  private boolean resting;

  /** A name of its file; where the kernel tells the present one, that counts. */
  private volatile String name;

  /** True at first: the process that created the file may die before it opens it. */
  private boolean abandoned = true;

  ImageState(final Entry.Admitted admitted, final Layout layout) {
    this.admitted = admitted;
    this.state = admitted.state();
    this.name = admitted.path();
    final boolean direct = state == ImageDescriptor.STATE_DIRECT;
    this.log = new ImageLog(layout.drainsToFiles() || direct, direct);
  }

  void apply(final Entry.Created e) {
    created = e;
  }

  void apply(final Entry.Added e) {
    added = e.checkpoint() == Entry.NO_CHECKPOINT ? null : e;
  }

  /** Leaves the checkpoint that it was added to, which has come to nothing. */
  public void leave() {
    added = null;
  }

  void apply(final Entry.Entered e) {
    untaken = e.failure();
  }

  void apply(final Entry.Changed e) {
    state = e.state();
    committed &= state == ImageDescriptor.STATE_COMMITTED;
  }

  void apply(final Entry.Rested e) {
    resting = true;
    name = e.path();
  }

  /** Applies the opening by a process. */
  void apply(final Entry.Opened e, final Writer process, final long order) {
    resting = false;
    name = admitted.path();
    openers.add(new Entry.Opener(e.slot(), 1, e.writes()));
    grant(e.slot());
    if (e.writes()) {
      others = others(process);
      writer = process;
      written = order;
      abandoned = false;
    }
  }

  private List<Writer> others(final Writer next) {
    return next.isOfSeveralNodes()
        ? writers().stream()
            .filter(each -> each.isOfSeveralNodes() && each.part() != next.part())
            .toList()
        : List.of();
  }

  private void grant(final int slot) {
    if (granted.isEmpty()) {
      granted = Set.of(slot);
    } else if (!granted.contains(slot)) {
      granted = new TreeSet<>(granted);
      granted.add(slot);
    }
  }

  void apply(final Entry.Closed e) {
    abandoned |= e.position() == Entry.NO_POSITION && openers.writes(e.slot());
    if (whole == 0 && e.opened() > 0 && openers.writes(e.slot())) {
      begun = e.opened();
      whole = e.time();
    }
    close(e.slot(), e.time(), 1);
  }

  /**
   * Forgets the times of writing, as the bytes count no more: they are in a checkpoint for good, or
   * gone.
   */
  void endWriting() {
    begun = 0;
    whole = 0;
  }

  void apply(final Entry.Detached e) {
    abandoned |= openers.writes(e.slot());
    close(e.slot(), e.time(), Integer.MAX_VALUE);
  }

  private void close(final int slot, final long time, final int times) {
    closed = openers.writes(slot) ? Math.max(closed, time) : closed;
    openers.remove(slot, times);
  }

  /** Makes this image a copy of another one, with the same bytes and writer. */
  void replace(final ImageState original) {
    writer = original.writer;
    others = original.others;
    written = original.written;
    closed = original.closed;
    begun = original.begun;
    whole = original.whole;
    abandoned = false;
  }

  /**
   * Ends a commit of the image. A failed commit leaves it as it was before, maybe in a checkpoint.
   */
  public void apply(final Entry.Ended e) {
    committed |= e.errno() == 0;
    state = stateBefore();
  }

  private int stateBefore() {
    return committed || state != ImageDescriptor.STATE_COMMITTED ? state : uncommitted();
  }

  /**
   * Returns the image's state while no checkpoint has it. The answer holds only after all earlier
   * requests to the drain.
   *
   * @return {@code ImageDescriptor.STATE_DIRECT} or {@code STATE_DIVERTED}
   */
  public int uncommitted() {
    return log.isDirect() ? ImageDescriptor.STATE_DIRECT : ImageDescriptor.STATE_DIVERTED;
  }

  void apply(final Entry.Known e, final Writer last, final List<Writer> before) {
    state = e.state();
    writer = last;
    others = before;
    written = e.written();
    closed = e.closed();
    begun = e.begun();
    whole = e.whole();
    abandoned = e.abandoned();
    committed = e.committed();
    e.openers().forEach(openers::add);
    e.granted().forEach(this::grant);
    log.apply(e);
  }

  void sum(final Consumer<Entry> to) {
    to.accept(admitted);
    if (created != null) {
      to.accept(created);
    }
    if (added != null) {
      to.accept(added);
    }
    to.accept(
        new Entry.Known(
            id(),
            state,
            writer.known(),
            others.stream().map(Writer::known).toList(),
            written,
            closed,
            begun,
            whole,
            abandoned,
            committed,
            List.copyOf(openers.all()),
            List.copyOf(granted),
            log.isDirect(),
            log.drainsToFile(),
            log.isTouched(),
            log.size(),
            log.chunks(),
            log.marks()));
    if (resting) {
      to.accept(new Entry.Rested(id(), name));
    }
  }

  /**
   * Returns whether the file came to rest since a process opened it; true also when a stage opened
   * it again.
   */
  public boolean hasRested() {
    return resting;
  }

  /** Returns the last known name of its file. */
  public String name() {
    return name;
  }

  /** Service thread only. */
  public void name(final String path) {
    name = path;
  }

  public Entry.Admitted admitted() {
    return admitted;
  }

  /**
   * Returns the checkpoint that a rank created the image for by request; null for a captured file.
   */
  public Entry.Created created() {
    return created;
  }

  /**
   * Returns the checkpoint made by request that the captured file belongs to, or did when that was
   * committed; null for none.
   */
  public Entry.Added added() {
    return added;
  }

  /** Returns a failure of which only the errno is left. */
  Exception failed(final int errno) {
    return untaken.isEmpty()
        ? new PosixException("store " + admitted.path(), errno)
        : new MissingException(untaken);
  }

  /** Returns the reason why its file could not be taken, so that it failed; empty otherwise. */
  public String untaken() {
    return untaken;
  }

  /**
   * Returns whether a checkpoint has the image; false before its commit is over, and once the image
   * is no longer committed.
   */
  public boolean isCommitted() {
    return committed;
  }

  /** Returns the slots whose chunks may have records of the image. */
  public Set<Integer> granted() {
    return Collections.unmodifiableSet(granted);
  }

  /** Returns the id in records and requests, from 1, unique in the session. */
  public int id() {
    return admitted.image();
  }

  public int entry() {
    return admitted.entry();
  }

  /** Write stage only. */
  public ImageLog log() {
    return log;
  }

  /** Returns the slots that have the image open. Service thread only. */
  public Openers openers() {
    return openers;
  }

  /**
   * Returns the image's state, which is not read back from the shared table. Service thread only.
   *
   * @return {@code ImageDescriptor.STATE_*}
   */
  public int state() {
    return state;
  }

  /**
   * Returns whether a process had it open for writing when it died, so that it may be incomplete.
   */
  public boolean isAbandoned() {
    return abandoned;
  }

  /** Returns the process that wrote the image last, which may have ended. */
  public Writer writer() {
    return writer;
  }

  /**
   * Returns the processes whose ranks wrote the image. Only a job on several nodes has more than
   * the last one.
   *
   * @return at least one, the last one last; of each rank only the last
   */
  public List<Writer> writers() {
    return Stream.concat(others.stream(), Stream.of(writer)).toList();
  }

  /**
   * Returns the order of its last opening for writing among all of the session, from 1; 0 for
   * never.
   */
  public long written() {
    return written;
  }

  /**
   * Returns the time of its last close by a process that wrote it, by the word of that process.
   * Rings are read one after another, so this tells the order of two processes' writing, and {@link
   * #written} does not.
   *
   * @return in nanoseconds of the node's monotonic clock; 0 for never
   */
  public long closed() {
    return closed;
  }

  /**
   * Returns the first time, since it was created, emptied or committed, that a process closed it
   * and left bytes in it.
   *
   * @return by the same clock; 0 for never
   */
  public long whole() {
    return whole;
  }

  /**
   * Returns the writing of the image since then.
   *
   * @param path its path in the capture directory; a path other than that of its creation became
   *     its name when it was whole
   * @return the times; where the file is empty, only the last one is known
   */
  public Entry.Writing writing(final String path) {
    final long first = whole == 0 ? closed : whole;
    final boolean unfinished = whole == 0 && abandoned;
    final boolean known = whole != 0 && admitted.path().endsWith('/' + path);
    return new Entry.Writing(
        path,
        writer.part(),
        known ? begun : first,
        unfinished ? 0 : first,
        closed,
        writer.killsBefore(),
        writer.wasKilled());
  }
}
