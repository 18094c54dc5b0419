package org.sluice.profile.workload;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * The sizes of the writes of one process in a checkpoint, in order.
 *
 * <p>The order is that of BLCR's context files. A header of 20 bytes and a burst of small records
 * (linkage, credentials, CPU state, 64 signal actions) come first. Then every memory area follows.
 * An area begins with a header of 40 bytes, a file name if it has one, and a fill of 4 bytes. An
 * area with dumped pages also has a page-header array of about 4 KiB, and one write for each run of
 * pages.
 */
final class WritePattern {
  static final int PAGE = 4096;

  /** The index of the size class with the page-header arrays. */
  static final int ARRAYS = 3;

  private static final int FILE_HEADER = 20;
  private static final int SIGNAL_ACTIONS = 64;
  private static final int SIGNAL_ACTION = 32;
  private static final int AREA_HEADER = 40;
  private static final int FILL = 4;
  private static final int PROCESS_RECORDS = 6;
  private static final long SEED = 20090922;

  private WritePattern() {}

  /** Returns the writes of one process of a program: the same in every run. */
  static List<Long> of(final Workload workload) {
    final List<List<Long>> classes = new SizeDraw(workload, SEED).draw(WritePattern::headers);
    final Deque<Long> small = new ArrayDeque<>(classes.get(0));
    final Deque<Long> records = new ArrayDeque<>(classes.get(1));
    records.addAll(classes.get(2));
    final List<Long> runs = new ArrayList<>();
    classes.subList(ARRAYS + 1, classes.size()).forEach(runs::addAll);
    Collections.shuffle(runs, new Random(SEED));
    return order(small, records, new ArrayDeque<>(classes.get(ARRAYS)), new ArrayDeque<>(runs));
  }

  /** Returns the writes below 64 bytes whose sizes BLCR fixes. */
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
}
