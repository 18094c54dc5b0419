package org.sluice.iop.service;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.libc.Errno;
import org.sluice.core.segment.ChunkPool;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.segment.RingDescriptor;
import org.sluice.core.segment.RingReader;
import org.sluice.core.segment.Segment;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.PoisonException;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Warnings;

/**
 * The intake of published chunks, and the ends of openings, from the rings. A ring belongs to its
 * process and may hold anything, so a record counts only if the chunk's state word agrees with it.
 * Service thread only.
 */
public final class Rings {
  /**
   * A record that says that an opening has ended.
   *
   * @param opened time of its begin, in nanoseconds of the monotonic clock
   */
  public record Close(int imageId, long opened, long closed, long position) {}

  /**
   * A record that says that a process entered a file as an image.
   *
   * @param descriptor descriptor by which the process has the file open
   * @param position end of the record and its name, in the ring
   */
  public record Open(int imageId, int entry, int descriptor, String path, long position) {}

  /** A receiver of published chunks: {@link Drain#publish(int, int, long, int, long)}. */
  @FunctionalInterface
  public interface Intake {
    void take(int slot, int chunk, long word, int used, long position);
  }

  /** A question for chunks that were taken and are not released yet: {@link Drain#has}. */
  @FunctionalInterface
  public interface Possession {
    boolean has(int chunk, long word);
  }

  /** A receiver of the files that processes entered. */
  @FunctionalInterface
  public interface Entrance {
    /**
     * Takes a file; returns false when the process has not entered it yet, so that it is asked
     * again.
     */
    boolean take(Attachment opener, Open open) throws DamagedException;
  }

  /**
   * The number of records in a full ring, and so the most that were published when a poll begins.
   */
  private static final int MOST = RingDescriptor.CAPACITY / RingDescriptor.RECORD_LENGTH;

  /** An odd factor with bits all over, so that slots and generations do not add up to positions. */
  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  private final Segment segment;
  private final ChunkPool pool;
  private final Intake intake;
  private final Possession drain;
  private final Lane lane;
  private BiConsumer<Attachment, Close> closing;
  private Entrance entrance;

  public Rings(
      final Segment segment, final Intake intake, final Possession drain, final InFlight inFlight) {
    this.lane = inFlight.lane(Lane.Role.SERVICE);
    this.segment = segment;
    this.pool = segment.chunkPool();
    this.intake = intake;
    this.drain = drain;
  }

  /** Sets the listener to openings that have ended, before the first poll. */
  public void closing(final BiConsumer<Attachment, Close> listener) {
    closing = listener;
  }

  /** Sets the receiver of files that processes entered, before the first poll. */
  public void entrance(final Entrance listener) {
    entrance = listener;
  }

  /**
   * Takes the records that processes have published; returns their number. A record of each process
   * is taken in turn. So room comes free for all of them, and chunks that follow each other are of
   * several files.
   */
  public int poll(final List<Attachment> attachments) {
    int records = 0;
    for (int before = -1; before != records && records < MOST; ) {
      before = records;
      for (int i = 0; i < attachments.size(); i++) {
        records += poll(attachments.get(i), 1);
      }
    }
    return records;
  }

  /**
   * Takes the records that a process has published. A process that publishes without end does not
   * keep the others waiting. Some requests ask for it while they are handled.
   */
  public int poll(final Attachment attachment) {
    return poll(attachment, MOST);
  }

  private int poll(final Attachment attachment, final int most) {
    final Lane.Handling before = lane.handling();
    int total = 0;
    while (total < most && !attachment.isCorrupt() && take(attachment)) {
      total++;
    }
    lane.goOn(before);
    return total;
  }

  /** Takes a record. Failures other than those of the checks are no fault of the process's. */
  private boolean take(final Attachment attachment) {
    final RingReader ring = attachment.ring();
    try {
      if (!ring.read()) {
        return false;
      }
      final long id = idOf(attachment, ring.next());
      if (!lane.begin(Subject.RECORD, id, attachment.index(), Lane.NO_IMAGE)) {
        throw ring.damage(new PoisonException(Subject.RECORD).getMessage());
      }
      switch (ring.type()) {
        case RingDescriptor.TYPE_CHUNK -> takeChunk(attachment, ring);
        case RingDescriptor.TYPE_CLOSE -> takeClose(attachment, ring);
        default -> {
          if (!entrance.take(attachment, openOf(ring))) {
            return false;
          }
        }
      }
      ring.advance();
      lane.passed(Subject.RECORD, id);
      return true;
    } catch (final DamagedException e) {
      refuse(attachment, e);
      return false;
    }
  }

  /**
   * Returns the number that tells the records of all rings apart. A record keeps its number over a
   * resumption.
   */
  private static long idOf(final Attachment attachment, final long position) {
    return attachment.writer().process() * MIX + position;
  }

  private void takeClose(final Attachment attachment, final RingReader ring) {
    closing.accept(
        attachment,
        new Close(
            ring.getInt(RingDescriptor.IMAGE_ID_OFFSET),
            ring.getLong(RingDescriptor.OPENED_OFFSET),
            ring.getLong(RingDescriptor.CLOSED_OFFSET),
            ring.next()));
  }

  private static Open openOf(final RingReader ring) {
    return new Open(
        ring.getInt(RingDescriptor.OPEN_IMAGE_OFFSET),
        ring.getInt(RingDescriptor.ENTRY_OFFSET),
        ring.getInt(RingDescriptor.DESCRIPTOR_OFFSET),
        ring.name(),
        ring.next());
  }

  private void takeChunk(final Attachment attachment, final RingReader ring)
      throws DamagedException {
    final int chunk = ring.getInt(RingDescriptor.CHUNK_OFFSET);
    final int used = ring.getInt(RingDescriptor.USED_OFFSET);
    if (chunk >= 0 && chunk < pool.chunkCount() && used >= ChunkDescriptor.HEADER_LENGTH) {
      final long word = pool.word(chunk); // once: a mad owner may make it another's at any time
      if (isPublished(attachment, chunk, word, ring.getLong(RingDescriptor.GENERATION_OFFSET))) {
        intake.take(attachment.index(), chunk, word, used, ring.next());
        return;
      }
    }
    throw ring.damage("record chunk=%d used=%d".formatted(chunk, used));
  }

  private boolean isPublished(
      final Attachment attachment, final int chunk, final long word, final long generation) {
    return ChunkStateDescriptor.state(word) == ChunkStateDescriptor.PUBLISHED
        && ChunkStateDescriptor.slot(word) == attachment.index()
        && Integer.toUnsignedLong(ChunkStateDescriptor.generation(word)) == generation
        && !isTaken(chunk, word);
  }

  /** The word is looked at again, in case the chunk was released while it was looked for. */
  private boolean isTaken(final int chunk, final long word) {
    return drain.has(chunk, word)
        || ChunkStateDescriptor.generation(pool.word(chunk))
            != ChunkStateDescriptor.generation(word);
  }

  private void refuse(final Attachment attachment, final DamagedException damage) {
    attachment.corrupt();
    Warnings.warn("the ring of %s is damaged: %s".formatted(attachment, damage.getMessage()));
    attachment.images().keySet().forEach(image -> image.fail(damage));
    segment.imageTable().failUntaken(attachment.index(), Errno.EIO);
  }

  /** A chunk that a process has and that is not in the drain, read once. */
  private record Claimed(int chunk, long word, long sequence) {}

  /** Returns the chunks that the process has claimed, in its program order. */
  private List<Claimed> claimed(final Attachment attachment) {
    final List<Claimed> claimed = new ArrayList<>();
    pool.ownedBy(
        attachment.index(),
        (chunk, word) -> {
          if (ChunkStateDescriptor.state(word) != ChunkStateDescriptor.MAKING
              && !isTaken(chunk, word)) {
            claimed.add(new Claimed(chunk, word, sequence(chunk)));
          }
        });
    claimed.sort(Comparator.comparingLong(Claimed::sequence));
    return claimed;
  }

  private long sequence(final int chunk) {
    return segment.chunk(chunk).getLong(ChunkDescriptor.SEQUENCE_OFFSET);
  }

  /**
   * Returns the chunks that a process has and that are not in the drain. These are its open chunk,
   * and a chunk that it published but has not yet told of.
   */
  public int[] unpublished(final Attachment attachment) {
    return claimed(attachment).stream().mapToInt(Claimed::chunk).toArray();
  }

  /**
   * Returns those of the {@link #unpublished} chunks whose older ones are all in the drain. So
   * their bytes may go into files now.
   *
   * <p>The state words are read one after another while the process runs. So the older of two
   * chunks may be missed, as the process claimed it behind the look at its word, and the newer one
   * seen. A process tells of a chunk before it claims the next one. So a poll behind the looks puts
   * all chunks into the drain that are older than a chunk that was seen.
   */
  int[] oldestUnpublished(final Attachment attachment) {
    final List<Claimed> seen = claimed(attachment);
    poll(attachment);
    return seen.stream()
        .filter(one -> !isTaken(one.chunk, one.word))
        .mapToInt(Claimed::chunk)
        .toArray();
  }

  /**
   * Tells whether a process has a chunk that is not in the drain, or makes the memory of one. The
   * process may store into such a chunk as long as it runs.
   */
  boolean mayStore(final Attachment attachment) {
    return pool.isMaking(attachment.index()) || !claimed(attachment).isEmpty();
  }

  /** Takes over all chunks of a process that does not run any more. */
  void adopt(final Attachment attachment) {
    pool.takeBackMaking(attachment.index());
    for (final Claimed one : claimed(attachment)) {
      if (ChunkStateDescriptor.state(one.word) != ChunkStateDescriptor.PUBLISHED) {
        pool.publish(one.chunk, one.word);
      }
      intake.take(attachment.index(), one.chunk, one.word, Drain.ADOPTED, Entry.NO_POSITION);
    }
  }
}
