package org.sluice.profile.workload;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * The writes of one process in a checkpoint, in order.
 *
 * <p>The order is that of BLCR's context files. A header of 20 bytes and a burst of small records
 * (linkage, credentials, CPU state, 64 signal actions) come first. Then every memory area has a
 * header of 40 bytes, a file name if it has one, a fill of 4 bytes, a page-header array of about 4
 * KiB if any of its pages is dumped, and one write for each run of pages.
 *
 * @param writes all writes
 * @param memoryLength bytes of memory that they are taken from: page runs from whole pages
 * @param gap bytes of the file left out after each write
 */
public record WritePattern(List<Write> writes, long memoryLength, int gap) {
  static final int PAGE = 4096;

  /** The size class that page-header arrays are in. */
  static final int ARRAYS = 3;

  private static final int FILE_HEADER = 20;
  private static final int SIGNAL_ACTIONS = 64;
  private static final int SIGNAL_ACTION = 32;
  private static final int AREA_HEADER = 40;
  private static final int FILL = 4;
  private static final int PROCESS_RECORDS = 6;
  private static final long SEED = 20090922;
  private static final long MOST_MEMORY = 256 << 20;

  /**
   * A write.
   *
   * @param offset where in the process's memory its bytes are
   * @param length how many
   */
  public record Write(long offset, long length) {}

  /**
   * What one process of a program writes.
   *
   * @param workload the program
   * @return the same in every run
   */
  public static WritePattern of(final Workload workload) {
    final List<List<Long>> classes = new SizeDraw(workload, SEED).draw(WritePattern::headers);
    final Deque<Long> small = new ArrayDeque<>(classes.get(0));
    final Deque<Long> records = new ArrayDeque<>(classes.get(1));
    records.addAll(classes.get(2));
    final List<Long> runs = new ArrayList<>();
    classes.subList(ARRAYS + 1, classes.size()).forEach(runs::addAll);
    Collections.shuffle(runs, new Random(SEED));
    return placed(
        order(small, records, new ArrayDeque<>(classes.get(ARRAYS)), new ArrayDeque<>(runs)));
  }

  /** The writes below 64 bytes whose sizes BLCR fixes. */
  private static List<Long> headers(final int areas) {
    final List<Long> headers = new ArrayList<>(List.of((long) FILE_HEADER));
    headers.addAll(Collections.nCopies(SIGNAL_ACTIONS, (long) SIGNAL_ACTION));
    headers.addAll(Collections.nCopies(areas, (long) AREA_HEADER));
    headers.addAll(Collections.nCopies(areas, (long) FILL));
    return headers;
  }

  private static List<Long> order(
      final Deque<Long> small,
      final Deque<Long> records,
      final Deque<Long> arrays,
      final Deque<Long> runs) {
    final List<Long> sizes = new ArrayList<>(List.of((long) FILE_HEADER));
    take(sizes, small, PROCESS_RECORDS);
    take(sizes, records, PROCESS_RECORDS / 2);
    sizes.addAll(Collections.nCopies(SIGNAL_ACTIONS, (long) SIGNAL_ACTION));
    for (int areas = arrays.size(); areas > 0; areas--) {
      sizes.add((long) AREA_HEADER);
      take(sizes, records, records.size() / areas);
      take(sizes, small, small.size() / areas);
      sizes.add((long) FILL);
      take(sizes, arrays, 1);
      take(sizes, runs, runs.size() / areas);
    }
    return sizes;
  }

  private static void take(final List<Long> to, final Deque<Long> from, final int count) {
    for (int i = 0; i < count && !from.isEmpty(); i++) {
      to.add(from.remove());
    }
  }

  /** Small writes come from pages of their own, as the checkpointer's do; runs begin on a page. */
  private static WritePattern placed(final List<Long> sizes) {
    final long smallLength = sizes.stream().filter(size -> size < PAGE).mapToLong(l -> l).sum();
    final List<Write> writes = new ArrayList<>();
    long small = 0;
    long pages = Math.ceilDiv(smallLength, PAGE) * PAGE;
    for (final long size : sizes) {
      if (size < PAGE) {
        writes.add(new Write(small, size));
        small += size;
      } else {
        writes.add(new Write(pages, size));
        pages += size;
      }
    }
    return new WritePattern(writes, pages, 0);
  }

  /**
   * One process that writes in blocks.
   *
   * @param bytes how much, to be rounded up
   * @param block their length
   * @return the pattern
   */
  public static WritePattern blocks(final long bytes, final int block) {
    final long memory = Math.min(Math.ceilDiv(bytes, block) * block, MOST_MEMORY);
    final List<Write> writes = new ArrayList<>();
    for (long written = 0; written < bytes; written += block) {
      writes.add(new Write(written % memory, block));
    }
    return new WritePattern(writes, memory, 0);
  }

  /**
   * Writes that never continue each other, so that each is a record of its own.
   *
   * @param count how many
   * @param length of each
   * @return the pattern
   */
  public static WritePattern scattered(final int count, final int length) {
    final long memory = Math.min((long) count * length, MOST_MEMORY / length * length);
    final List<Write> writes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      writes.add(new Write((long) i * length % memory, length));
    }
    return new WritePattern(writes, memory, length);
  }

  /**
   * The same again and again from the same memory.
   *
   * @param bytes until so many are written
   * @return the pattern
   */
  public WritePattern repeated(final long bytes) {
    final List<Write> again = new ArrayList<>();
    long left = bytes;
    for (int i = 0; left > 0; i = (i + 1) % writes.size()) {
      final Write write = writes.get(i);
      again.add(new Write(write.offset, Math.min(left, write.length)));
      left -= write.length;
    }
    return new WritePattern(again, memoryLength, gap);
  }

  /**
   * Bytes of the image.
   *
   * @return the sum of all writes
   */
  public long imageLength() {
    return writes.stream().mapToLong(Write::length).sum();
  }

  /**
   * Writes the file that a rank program reads.
   *
   * @param file where
   * @throws IOException when that fails
   */
  public void save(final Path file) throws IOException {
    try (PrintWriter out =
        new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.US_ASCII))) {
      out.printf("%d %d %d%n", memoryLength, writes.size(), gap);
      writes.forEach(write -> out.append(write.offset + " " + write.length + "\n"));
    }
  }
}
