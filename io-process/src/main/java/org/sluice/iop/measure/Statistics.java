package org.sluice.iop.measure;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.Reason;
import org.sluice.core.segment.Slot;
import org.sluice.core.store.disk.WriteMode;

/** The statistics of a session so far. Thread-safe. */
public final class Statistics {
  /** The number of commits that are listed one by one, the latest. */
  private static final int MOST_LISTED = 1000;

  /**
   * The shortest sum of waits for memory, or length of a wait for a closed file, that a user is
   * told of, in seconds.
   */
  private static final double LONG_WAIT = 0.1;

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SlotCounters past = new SlotCounters();

  /** The times of openings, by attached process. */
  private final OpenTimes returns = new OpenTimes();

  private final Intervals durable = new Intervals();
  private final Deque<CommitTimes> commits = new ArrayDeque<>();
  private final Map<Timed, Durations> durations = new EnumMap<>(Timed.class);
  private final AtomicLongArray counts = new AtomicLongArray(Occurrence.values().length);
  private final long bufferBytes;
  private final Supplier<String> pages;
  private final Header header;
  private final Supplier<WriteMode> mode;
  private List<Slot> attached = List.of();
  private final PlainFiles plain = new PlainFiles();
  private final Retained retained = new Retained();
  private final Map<Reason, Long> estimates = new EnumMap<>(Reason.class);
  private double slowestPast;
  private long commitCount;
  private long peakBuffer;
  private Failure failure;

  /**
   * @param pages kind of the buffer's pages, for users
   * @param header header in which processes count the files that they do not announce
   * @param mode the current way of writing to the store
   */
  public Statistics(
      final long bufferBytes,
      final Supplier<String> pages,
      final Header header,
      final Supplier<WriteMode> mode) {
    this.mode = mode;
    this.header = header;
    this.bufferBytes = bufferBytes;
    this.pages = pages;
    for (final Timed each : Timed.values()) {
      durations.put(each, new Durations());
    }
  }

  /**
   * Adds the duration of something that ends now.
   *
   * @param began nanoseconds, by {@link System#nanoTime}
   */
  public void took(final Timed what, final long began) {
    took(what, began, System.nanoTime());
  }

  /**
   * Adds the duration of something that has ended.
   *
   * @param began nanoseconds, by {@link System#nanoTime}
   * @param ended nanoseconds
   */
  public void took(final Timed what, final long began, final long ended) {
    durations.get(what).add(ended - began);
  }

  /** Returns the checkpoints that were removed as newer ones came. */
  public Retained retained() {
    return retained;
  }

  Durations durations(final Timed what) {
    return durations.get(what);
  }

  /**
   * @param more amount to add, 0 or more
   */
  public void count(final Occurrence what, final long more) {
    counts.addAndGet(what.ordinal(), more);
  }

  public long count(final Occurrence what) {
    return counts.get(what.ordinal());
  }

  /**
   * Counts a file that is not captured although it is opened for writing.
   *
   * @return whether the file is the first one for this reason
   */
  public synchronized boolean leftPlain(final Object key, final Reason reason) {
    return plain.add(key, reason);
  }

  /**
   * Adds bytes in an image's file that no process counted.
   *
   * @param bytes upper bound of their number
   */
  public synchronized void estimated(final Reason reason, final long bytes) {
    estimates.merge(reason, bytes, Long::sum);
  }

  public synchronized void bufferUse(final long bytes) {
    peakBuffer = Math.max(peakBuffer, Math.min(bytes, bufferBytes));
  }

  /** Sets the slots whose counters are alive. */
  public synchronized void attached(final Collection<Slot> slots) {
    attached = List.copyOf(slots);
  }

  /**
   * Keeps the counters of a process that is gone.
   *
   * @param slot its slot, no longer among {@link #attached}
   */
  public synchronized void detached(final Slot slot, final long process) {
    past.add(slot);
    slowestPast = returnSeconds();
    returns.remove(process);
  }

  private double returnSeconds() {
    return Math.max(slowestPast, returns.slowest());
  }

  /**
   * Adds an opening that ended.
   *
   * @param opened nanoseconds
   * @param closed nanoseconds
   */
  public synchronized void returned(final long process, final long opened, final long closed) {
    returns.add(process, opened, closed);
  }

  /**
   * Adds an image that reached stable storage.
   *
   * @param opened time of the first opening, in nanoseconds
   * @param reached time at which the image was durable, in nanoseconds
   */
  public synchronized void durable(final long opened, final long reached) {
    durable.add(Math.min(opened, reached), reached);
  }

  public synchronized void committed(final CommitTimes times) {
    commitCount++;
    commits.add(times);
    if (commits.size() > MOST_LISTED) {
      commits.remove();
    }
  }

  /**
   * Notes that something was not brought to storage for good.
   *
   * @param reason the reason; the first one stays, unless a later one is the first to lose bytes
   */
  public synchronized void failed(final Failure reason) {
    final boolean graver = failure != null && reason.losesBytes() && !failure.losesBytes();
    failure = failure == null || graver ? reason : failure;
  }

  /** Returns the reason for which something was not brought to storage. */
  public synchronized Optional<Failure> failure() {
    return Optional.ofNullable(failure);
  }

  /** Returns the number of files that were opened for writing and not captured. */
  public synchronized long plainFiles() {
    return Arrays.stream(Reason.values()).mapToLong(this::plainFiles).sum();
  }

  /** Returns the share of bytes that went through the buffer so far. */
  synchronized Share share() {
    final SlotCounters total = counters();
    return new Share(
        total.aggregatedBytes(),
        Arrays.stream(Reason.values())
            .map(reason -> notAggregated(reason, total))
            .filter(each -> !each.isNothing())
            .toList());
  }

  private NotAggregated notAggregated(final Reason reason, final SlotCounters total) {
    final long plain = header.plainBytes(reason);
    final long mapped =
        reason == Reason.MMAP ? plain : 0; // a mapped file may have been written or not
    return new NotAggregated(
        reason,
        total.reasonBytes(reason) + plain - mapped,
        estimates.getOrDefault(reason, 0L) + mapped,
        plainFiles(reason));
  }

  private long plainFiles(final Reason reason) {
    final long unattached = reason == Reason.UNATTACHED ? header.unattachedFiles() : 0;
    return plain.count(reason) + header.plainFiles(reason) + unattached;
  }

  synchronized NotAggregated notAggregated(final Reason reason) {
    return notAggregated(reason, counters());
  }

  /** Returns the number of committed checkpoints, recommits included. */
  public synchronized long checkpoints() {
    return commitCount;
  }

  /**
   * Returns a summary for users in one line: the share that went through the buffer, and the
   * effects of a full buffer. Empty when nothing was written.
   */
  public Optional<String> summary() {
    final SlotCounters total = counters();
    return share()
        .text()
        .map(share -> share + shortage(total) + lateMemory(total) + lengths(total) + unheld());
  }

  private String unheld() {
    final Durations times = durations(Timed.UNHELD);
    return times.longest() < LONG_WAIT * NANOS
        ? ""
        : ("; files were closed up to %.3f s before programs outside had to wait for them, %d in all:"
                + " what one read then may be short")
            .formatted(times.longest() / NANOS, times.count());
  }

  private String lengths(final SlotCounters total) {
    return total.aggregatedBytes() > 0 && !header.capture().isEmpty() && header.areEmptyOutside()
        ? "; until now tar and other programs outside found closed files empty, as they do not with"
            + " --layout files, nor where root runs sluice on a file system of one node"
        : "";
  }

  private static String shortage(final SlotCounters total) {
    return total.waits() + total.overflows() + total.fallbacks() == 0
        ? ""
        : ("; the buffer was full: %d waits of %.3f s in all, %d writes and %d files went direct;"
                + " see --buffer")
            .formatted(total.waits(), total.waitSeconds(), total.overflows(), total.fallbacks());
  }

  /**
   * Returns the report on waits for memory. Short waits are not worth a word: plain files need
   * pages as well.
   */
  private static String lateMemory(final SlotCounters total) {
    final String waited =
        total.memoryWaitSeconds() < LONG_WAIT
            ? ""
            : "; %.3f s of waits for memory of the buffer, which later checkpoints find made"
                .formatted(total.memoryWaitSeconds());
    final String direct =
        total.memoryOverflows() == 0
            ? ""
            : "; %d writes went direct while chunks had no memory yet, for which --when-full wait waits"
                .formatted(total.memoryOverflows());
    return waited + direct;
  }

  /** Returns the counters of all processes, past and present. */
  synchronized SlotCounters counters() {
    final SlotCounters total = new SlotCounters();
    total.add(past);
    attached.forEach(total::add);
    return total;
  }

  /**
   * Returns all statistics as {@code --stats} shows them. Their names are not fixed by {@code
   * docs/format.md}.
   */
  public String json() {
    try {
      return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(map());
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized Map<String, Object> map() {
    final SlotCounters total = counters();
    final Map<String, Object> map = new LinkedHashMap<>();
    map.put("files", count(Occurrence.FILES));
    map.put("plain_files", plainFiles());
    map.put("shared_files", count(Occurrence.SHARED_FILES));
    map.put("opened_early", count(Occurrence.OPENED_EARLY));
    map.put("unheld_files", durations(Timed.UNHELD).count());
    map.put("unheld_longest_seconds", durations(Timed.UNHELD).longest() / NANOS);
    map.put("aggregated_bytes", total.aggregatedBytes());
    map.put("aggregated_writes", total.aggregatedWrites());
    map.put("direct_bytes", total.directBytes());
    map.put("direct_writes", total.directWrites());
    final Share share = share();
    map.put("written_bytes", share.total());
    map.put("estimated_bytes", share.estimated());
    map.put("aggregated_share", share.fraction().orElse(null));
    map.put("not_aggregated", share.others().stream().map(NotAggregated::map).toList());
    map.put("return_seconds", returnSeconds());
    map.put("durable_seconds", durable.seconds());
    map.put("waits", total.waits());
    map.put("wait_seconds", total.waitSeconds());
    map.put("memory_waits", total.memoryWaits());
    map.put("memory_wait_seconds", total.memoryWaitSeconds());
    map.put("memory_overflows", total.memoryOverflows());
    map.put("fallbacks", total.fallbacks());
    map.put("overflows", total.overflows());
    map.put("buffer_bytes", bufferBytes);
    map.put("buffer_pages", pages.get());
    map.put("peak_buffer_bytes", peakBuffer);
    map.put("store_direct", mode.get().direct());
    map.put("store_writes_in_flight", mode.get().inFlight());
    map.put("store_write_bytes", mode.get().length());
    map.put("drained_bytes", count(Occurrence.DRAINED_BYTES));
    map.put("warnings", Warnings.count());
    map.put("size_classes", total.sizeClasses());
    map.put("checkpoints", commits.stream().map(Statistics::map).toList());
    return map;
  }

  private static Map<String, Object> map(final CommitTimes times) {
    final Map<String, Object> map = new LinkedHashMap<>();
    map.put("number", times.number());
    map.put("images", times.images());
    map.put("bytes", times.bytes());
    map.put("return_seconds", times.returnSeconds());
    map.put("durable_seconds", times.durableSeconds());
    return map;
  }
}
