package org.sluice.iop.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.CaptureDirectory;

/**
 * The step that puts the writes of processes into the files within a second, without their help,
 * for readers outside Sluice. In the files layout a program's own files are its result. The images
 * stay diverted.
 *
 * <p>A process is looked at twice a second for as long as it appends. A process that has appended
 * nothing since the last look is told so in its slot, and looked at once more after a fence. At its
 * next append it rings the bell. So one of the two sees the other, a busy process makes no system
 * call for it, and where nobody writes nobody wakes. Service thread only.
 */
public final class TimedSettling {
  /** The time between two looks: with the settle itself well below a second. */
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Segment segment;
  private final Drain drain;

  /** True if files are read in their places. */
  private final boolean wanted;

  private final Attachments attachments;
  private final Rings rings;

  /** The writers that may append, with the part of each chunk that was seen, by state word. */
  private final Map<Attachment, Map<Long, Integer>> busy = new HashMap<>();

  private long due;

  public TimedSettling(
      final Segment segment,
      final CaptureDirectory capture,
      final Drain drain,
      final Attachments attachments,
      final Rings rings) {
    this.segment = segment;
    this.drain = drain;
    this.wanted = drain.layout().showsWrites() && capture.path() != null;
    this.attachments = attachments;
    this.rings = rings;
  }

  /** Watches a process, which may append to the log of a captured file from here on. */
  public void watch(final Attachment process) {
    if (wanted && !busy.containsKey(process)) {
      if (busy.isEmpty()) {
        due = System.nanoTime() + PERIOD_NANOS;
      }
      process.slot().quiet(false);
      busy.put(process, Map.of());
    }
  }

  /** Takes the bell of a process, be it because it had been told to ring. */
  void rung(final Attachment process) {
    if (!process.slot().isQuiet()) {
      watch(process);
    }
  }

  /** Looks at all processes that may have appended, when it is time. */
  public void proceed() {
    if (busy.isEmpty() || System.nanoTime() - due < 0) {
      return;
    }
    due = System.nanoTime() + PERIOD_NANOS;
    busy.keySet().removeIf(process -> attachments.at(process.index()) != process);
    final List<Attachment> quiet = new ArrayList<>();
    for (final Attachment process : busy.keySet()) {
      if (!advance(process)) {
        process.slot().quiet(true);
        quiet.add(process);
      }
    }
    if (!quiet.isEmpty()) {
      segment.header().fence();
      quiet.forEach(this::lookOnceMore);
    }
  }

  private void lookOnceMore(final Attachment process) {
    if (advance(process)) {
      process.slot().quiet(false);
    } else {
      busy.remove(process);
    }
  }

  /**
   * Returns whether a process has appended anything since the last look, which is on its way then.
   */
  private boolean advance(final Attachment process) {
    final Map<Long, Integer> before = busy.get(process);
    final Map<Long, Integer> now = new HashMap<>();
    boolean advanced = false;
    for (final int chunk : rings.oldestUnpublished(process)) {
      final long word = segment.chunkPool().word(chunk);
      final int used = segment.chunk(chunk).getIntVolatile(ChunkDescriptor.USED_OFFSET);
      final int seen = before.getOrDefault(word, 0);
      final boolean appended = used > ChunkDescriptor.HEADER_LENGTH && used != seen;
      final boolean later = appended && drain.isCrowded(); // the service does not wait for the disk
      now.put(word, later ? seen : used);
      if (appended && !later) {
        drain.peek(process.index(), chunk, word);
      }
      advanced |= appended;
    }
    busy.put(process, now);
    return advanced;
  }

  /** Returns the time until the next look is due, in milliseconds, at most a limit. */
  public long patience(final long limit) {
    return busy.isEmpty()
        ? limit
        : Math.clamp(TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime()), 1, limit);
  }
}
