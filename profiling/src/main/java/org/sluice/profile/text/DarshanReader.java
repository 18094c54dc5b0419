package org.sluice.profile.text;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Write;

/** Reads what {@code darshan-parser} prints: counters by process and file, not single writes. */
final class DarshanReader extends DarshanText {
  private static final int COLUMNS = 8;

  private final Map<String, Double> counters = new HashMap<>();
  private String[] record;

  DarshanReader(final Omissions omissions, final Consumer<Write> sink) {
    super(omissions, sink);
  }

  @Override
  boolean data(final String line) {
    try {
      counter(line.split("\t"));
      return true;
    } catch (final IllegalArgumentException e) {
      return false;
    }
  }

  /** A record is the lines in a row that agree in module, rank and record id. */
  private void counter(final String[] columns) {
    if (columns.length < COLUMNS) {
      throw new IllegalArgumentException();
    }
    Integer.parseInt(columns[1]);
    final double value = Double.parseDouble(columns[4]);
    if (record != null
        && !(columns[0].equals(record[0])
            && columns[1].equals(record[1])
            && columns[2].equals(record[2]))) {
      endRecord();
    }
    record = columns;
    counters.put(columns[3], value);
  }

  private void endRecord() {
    final boolean isFile = !record[5].startsWith("<");
    if (isFile && (record[0].equals("POSIX") || record[0].equals("STDIO"))) {
      final int rank = Integer.parseInt(record[1]);
      new DarshanRecord(record[0], counters)
          .estimate(new Origin("job", Math.max(rank, 0), rank), record[5], startNanos, sink);
    }
    counters.clear();
    record = null;
  }

  @Override
  void end() {
    if (record != null) {
      endRecord();
    }
    omissions.note(
        "Darshan's counters know no single writes: sizes within their class, times and offsets are"
            + " estimates. DXT_ENABLE_IO_TRACE=1 and darshan-dxt-parser give exact ones.");
  }
}
