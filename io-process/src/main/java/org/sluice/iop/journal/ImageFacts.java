package org.sluice.iop.journal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.ChunkLocation;

/** What a {@link Ledger} knows of an image. Not thread-safe. */
public final class ImageFacts {
  private final Entry.Admitted admitted;
  private final Map<Integer, Integer> openings = new TreeMap<>();
  private final Set<Integer> writers = new TreeSet<>();
  private final List<ChunkLocation> chunks = new ArrayList<>();
  private final Map<Integer, Entry.Mark> marks = new TreeMap<>();
  private Entry.Created created;
  private Entry.Attached writtenBy;
  private boolean killed;
  private int state;
  private boolean abandoned;
  private boolean committed;
  private boolean inPlace;
  private boolean direct;
  private long size;

  ImageFacts(final Entry.Admitted admitted, final boolean inPlace) {
    this.admitted = admitted;
    this.state = admitted.state();
    this.inPlace = inPlace;
    this.abandoned = true; // whoever created it is about to open it, and may die before
  }

  /** As a snapshot has it, which goes on to say the rest. */
  ImageFacts(
      final Entry.Admitted admitted,
      final Entry.Created created,
      final Entry.Attached writtenBy,
      final boolean killed) {
    this.admitted = admitted;
    this.created = created;
    this.writtenBy = writtenBy;
    this.killed = killed;
  }

  void is(
      final boolean itsAbandoned,
      final boolean itsCommitted,
      final boolean itsInPlace,
      final boolean itsDirect,
      final long itsSize) {
    abandoned = itsAbandoned;
    committed = itsCommitted;
    inPlace = itsInPlace;
    direct = itsDirect;
    size = itsSize;
  }

  void mark(final Entry.Mark mark) {
    marks.put(mark.chunk(), mark);
  }

  void createdFor(final Entry.Created checkpoint) {
    created = checkpoint;
  }

  void state(final int next) {
    state = next;
  }

  void open(final Entry.Opened opening, final Entry.Attached process) {
    openings.merge(opening.slot(), 1, Integer::sum);
    writers.add(opening.slot());
    if (opening.writes()) {
      writtenBy = process;
      killed = false;
      abandoned = false;
    }
  }

  /** What nobody was answered that he may write is not written, unless he asks once more. */
  void close(final Entry.Closed e, final Entry lastRequest) {
    openings.computeIfPresent(e.slot(), (any, count) -> count > 1 ? count - 1 : null);
    abandoned |=
        e.position() == Entry.NO_POSITION
            && lastRequest instanceof final Entry.Opened opening
            && opening.writes();
  }

  void abandon(final int slot) {
    abandoned |= openings.remove(slot) != null;
  }

  void killed(final Entry.Attached process) {
    killed |= process.equals(writtenBy);
  }

  void writtenAs(final ImageFacts original) {
    writtenBy = original.writtenBy;
    killed = original.killed;
    abandoned = false;
  }

  void logged(final Entry.Drained chunk, final Entry.Share share) {
    chunks.add(chunk.location());
    size = share.size();
  }

  void restart(final Entry.Restarted e) {
    chunks.clear();
    inPlace = e.inPlace();
    size = e.size();
    e.marks().forEach(this::mark);
    direct = e.cause() == Entry.Cause.DIRECT || direct && e.cause() != Entry.Cause.DIVERTED;
  }

  /** A commit that failed leaves the image as it was before. */
  void commitEnded(final boolean succeeded) {
    committed |= succeeded;
    if (!succeeded && state == ImageDescriptor.STATE_COMMITTED) {
      state = direct ? ImageDescriptor.STATE_DIRECT : ImageDescriptor.STATE_DIVERTED;
    }
  }

  /**
   * How it became an image.
   *
   * @return id, identity and path
   */
  public Entry.Admitted admitted() {
    return admitted;
  }

  /**
   * Which checkpoint it was created for.
   *
   * @return null for a captured file
   */
  public Entry.Created created() {
    return created;
  }

  /**
   * Its state.
   *
   * @return {@code ImageDescriptor.STATE_*}
   */
  public int state() {
    return state;
  }

  /**
   * Who has it open.
   *
   * @return openings by slot
   */
  public Map<Integer, Integer> openings() {
    return openings;
  }

  /**
   * The slots whose chunks may have records of it.
   *
   * @return slots
   */
  public Set<Integer> writers() {
    return writers;
  }

  /**
   * The process that wrote it last.
   *
   * @return null for none
   */
  public Entry.Attached writtenBy() {
    return writtenBy;
  }

  /**
   * Whether the process that wrote it last was killed.
   *
   * @return false also while it lives
   */
  public boolean wasWriterKilled() {
    return killed;
  }

  /**
   * Whether the last who wrote it died.
   *
   * @return whether it may be incomplete
   */
  public boolean isAbandoned() {
    return abandoned;
  }

  /**
   * Whether a commit of it succeeded.
   *
   * @return true when it is in the store
   */
  public boolean isCommitted() {
    return committed;
  }

  /**
   * Whether what is drained goes to its own file.
   *
   * @return false while it goes to containers
   */
  public boolean isInPlace() {
    return inPlace;
  }

  /**
   * Whether its own file was brought up to date when it became direct.
   *
   * @return false while that is still to be done
   */
  public boolean isDirect() {
    return direct;
  }

  /**
   * Its size by what was drained.
   *
   * @return bytes
   */
  public long size() {
    return size;
  }

  /**
   * The chunks its log refers to.
   *
   * @return in program order
   */
  public List<ChunkLocation> chunks() {
    return chunks;
  }

  /**
   * What was applied of chunks before they were drained.
   *
   * @return one of each chunk, of its latest use
   */
  public Collection<Entry.Mark> marks() {
    return marks.values();
  }
}
