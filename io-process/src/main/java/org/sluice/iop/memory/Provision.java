package org.sluice.iop.memory;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.iop.measure.Warnings;

/**
 * The thread that makes the memory of chunks before processes need it. A process that finds no
 * chunk with memory makes its own, see {@code pool.c}. Making a page costs more than copying it,
 * and takes memory that file pages could use. So nothing is made before a process is attached. A
 * few chunks get memory at once then, and the others follow with little processor time. Chunks
 * likely to be used take a quarter of one processor, the rest a thirty-second. When no process has
 * been attached for a while all memory is given back.
 */
public final class Provision implements Runnable {
  /** The chunks of a segment. */
  public interface Chunks {
    /** Counts the chunks that have memory. */
    int made();

    /**
     * Makes the memory of one more chunk, if there is any without.
     *
     * @throws IOException when there is no memory
     */
    void makeNext() throws IOException;

    /**
     * Lets processes make memory themselves.
     *
     * @param chunks number of chunks from now on
     */
    void grant(long chunks);

    /**
     * Takes note that a process got no memory. None makes any from then on until the next {@link
     * #grant}.
     *
     * @return whether one got none since the last call
     */
    boolean takeRefused();

    /** Counts the chunks whose memory processes are making. */
    int making();

    /**
     * Gives the memory of some chunks that nobody uses back.
     *
     * @param first the chunk to begin at
     * @return the chunk to go on at; the number of chunks when all is given back
     */
    int giveBack(int first);
  }

  /** A receiver of how many chunks are in use. */
  @FunctionalInterface
  public interface Demand {
    /**
     * Looks whether more chunks are needed soon.
     *
     * @param processes number of processes that may take a chunk
     */
    void look(int used, int processes);
  }

  /** The number of chunks that a small checkpoint of a few ranks takes. */
  private static final int FIRST = 32;

  /**
   * The rest before a chunk that is likely to be needed, as a multiple of the time that the last
   * chunk took.
   */
  private static final int SHORT_REST = 3;

  /**
   * The rest before a chunk that nobody has needed yet, as a multiple of the time that the last
   * chunk took.
   */
  private static final int LONG_REST = 31;

  /** The time without a process after which memory is given back. */
  static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** The longest pause, since nobody wakes this thread to give back. */
  static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int count;
  private final Chunks chunks;
  private final MemoryLimit limit;
  private final LongSupplier clock;
  private final LongConsumer pause;
  private final Thread thread = Thread.ofPlatform().daemon().name("prefault").unstarted(this);
  private volatile int needed = FIRST;
  private volatile int likely;
  private volatile int attached;

  /** True when a process came that no look at the limit has followed. */
  private volatile boolean came;

  private boolean withheld;
  private boolean warned;
  private long unusedSince;
  private long end;
  private long cost;

  /**
   * Creates a thread that makes nothing before {@link #begin}.
   *
   * @param limit how many of the chunks may have memory
   */
  public Provision(final int count, final Chunks chunks, final MemoryLimit limit) {
    this(count, chunks, limit, System::nanoTime, LockSupport::parkNanos);
  }

  Provision(
      final int count,
      final Chunks chunks,
      final MemoryLimit limit,
      final LongSupplier clock,
      final LongConsumer pause) {
    this.count = count;
    this.chunks = chunks;
    this.limit = limit;
    this.clock = clock;
    this.pause = pause;
    this.unusedSince = clock.getAsLong();
    this.end = unusedSince;
  }

  /** Starts to make memory, in a thread of its own, which ends when the result is closed. */
  public AutoCloseable begin() {
    thread.start();
    return () -> {
      thread.interrupt();
      thread.join();
    };
  }

  /**
   * Notes the demand, as a {@link Demand}. Each process may open a chunk, so for each one is made
   * at once and none waits. Three times as many chunks as are in use are likely to be needed later.
   * Their pages wait, since the drain needs the processor now. Any thread.
   *
   * @param processes number of processes that may take a chunk
   */
  public void look(final int used, final int processes) {
    came |= processes > attached;
    attached = processes;
    if (came || FIRST + processes > needed || 3 * used > likely) {
      needed = Math.max(needed, FIRST + processes);
      likely = Math.max(likely, 3 * used);
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void run() {
    grant();
    while (!Thread.currentThread().isInterrupted()) {
      Fault.strike(FaultPoint.PREFAULT);
      final long nanos = step();
      if (nanos > 0) {
        pause.accept(nanos);
      }
    }
  }

  /** Does what is due. Returns the nanoseconds until more is due, as far as is known; or 0. */
  long step() {
    final long now = clock.getAsLong();
    if (attached == 0) {
      return unused(now);
    }
    unusedSince = now;
    if (came) {
      came = false;
      grant();
    }
    if (withheld || chunks.made() >= count) {
      return LOOK_NANOS;
    }
    final long due = chunks.takeRefused() ? now : end + cost * rest();
    if (due - now > 0) {
      return Math.min(due - now, LOOK_NANOS);
    }
    makeNext();
    end = clock.getAsLong();
    cost = end - now;
    return 0;
  }

  private long unused(final long now) {
    if (now - unusedSince >= UNUSED_NANOS && (chunks.made() > 0 || withheld)) {
      unusedSince = now;
      giveBack();
      grant();
    }
    return LOOK_NANOS;
  }

  /** Gives memory back until a process is attached, which needs it at once. */
  private void giveBack() {
    warned &= chunks.made() == 0;
    needed = FIRST;
    likely = 0;
    for (int next = 0; next < count && attached == 0; ) {
      next = chunks.giveBack(next);
    }
  }

  private int rest() {
    final int made = chunks.made();
    return made < needed ? 0 : made < likely ? SHORT_REST : LONG_REST;
  }

  /** Looks at the limit, whatever the last look found. */
  private void grant() {
    try {
      withheld = false;
      look();
    } catch (final IOException e) {
      withhold(e);
    }
  }

  private void makeNext() {
    try {
      if (limit.isDue()) {
        look();
      }
      chunks.makeNext();
    } catch (final IOException e) {
      withhold(e);
    }
  }

  /**
   * Grants what the limit leaves. None is made during the look, since that might not see it; nor
   * does it see the memory that is being made.
   */
  private void look() throws IOException {
    if (!limit.isUnlimited()) {
      chunks.grant(0);
    }
    final long most = limit.look();
    chunks.grant(Math.max(0, most - chunks.making()));
  }

  private void withhold(final IOException e) {
    chunks.grant(0);
    withheld = true;
    if (!warned) {
      warned = true;
      Warnings.warn(
          "the buffer keeps only %d of its %d chunks: %s"
              .formatted(chunks.made(), count, e.getMessage()));
    }
  }
}
