package org.sluice.profile.trace;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * The writes of a job, read anew as often as one likes. The writes of one file by one process come
 * in the order it made them; others in any order.
 */
public interface Trace {
  /**
   * What it is.
   *
   * @return such as {@code strace output}
   */
  String kind();

  /**
   * Reads it from beginning to end; nothing of it is kept in memory.
   *
   * @param sink takes each write
   * @return what had to be left out
   * @throws IOException when it cannot be read, or is of another format version
   */
  Omissions read(Consumer<Write> sink) throws IOException;
}
