package org.sluice.profile.trace;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * The writes of a job, which can be read any number of times. The writes of one file by one process
 * come in the order in which it made them; others in any order.
 */
public interface Trace {
  /** Returns a name of the kind, such as {@code strace output}. */
  String kind();

  /**
   * Reads the trace from beginning to end; no write is kept in memory.
   *
   * @return the parts that had to be left out
   * @throws IOException when the trace cannot be read, or is of another format version
   */
  Omissions read(Consumer<Write> sink) throws IOException;
}
