package org.sluice.bench.node;

import org.sluice.core.command.JsonObject;
import org.sluice.core.command.SizeConverter;
import org.sluice.profile.workload.GeneratedTrace;
import org.sluice.profile.workload.Workload;

/**
 * A load, which is a place of the sweep: the writes, the writers and the size of the buffer.
 *
 * @param workload a published pattern, {@link #RECORDS}, or the bytes of each write, such as 1M
 * @param bytes bytes that all of them write; 0 for the bytes of one published checkpoint
 * @param buffer bytes of the I/O process's buffer; 0 for a buffer that holds a checkpoint
 * @param programs programs that the writers are
 */
record Load(String workload, int ranks, long bytes, long buffer, Programs programs) {
  /** The workload of records of 64 bytes that never continue each other. */
  static final String RECORDS = "records";

  private static final int RECORD_LENGTH = 64;
  private static final long CHUNK = 1 << 20;
  private static final int SPARE_CHUNKS = 2;
  private static final double MEGA = 1e6;

  GeneratedTrace trace() {
    if (workload.equals(RECORDS)) {
      return GeneratedTrace.equal(ranks, bytes, RECORD_LENGTH, RECORD_LENGTH);
    }
    if (isSize(workload)) {
      final long each = Math.min(new SizeConverter().convert(workload), bytes / ranks);
      return GeneratedTrace.equal(ranks, bytes, each, 0);
    }
    final Workload published = Workload.valueOf(workload);
    return bytes == 0 ? published.checkpoint(ranks) : published.checkpoint(ranks, bytes);
  }

  /** Returns whether a workload is of writes that all have the same bytes. */
  static boolean isSize(final String workload) {
    return Character.isDigit(workload.charAt(0));
  }

  /** Returns the bytes of a checkpoint, of all ranks. */
  long length() {
    return bytes == 0 ? Workload.valueOf(workload).imageLength() * ranks : bytes;
  }

  /** Returns the bytes of the buffer. */
  long room() {
    return buffer == 0
        ? (Math.ceilDiv(length() / ranks, CHUNK) + SPARE_CHUNKS) * ranks * CHUNK
        : buffer;
  }

  JsonObject toJson() {
    return new JsonObject()
        .with("workload", workload)
        .with("ranks", ranks)
        .with("bytes", length())
        .with("buffer_bytes", room())
        .with("mpi", programs.mpi())
        .with("computes", programs.computes());
  }

  @Override
  public String toString() {
    return "%s: %d ranks%s, %.1f MB a checkpoint, buffer %s"
        .formatted(workload, ranks, programs, length() / MEGA, SizeConverter.format(room()));
  }
}
