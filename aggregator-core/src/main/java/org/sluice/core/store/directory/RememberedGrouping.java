package org.sluice.core.store.directory;

import java.io.IOException;
import java.util.Optional;

/**
 * Which files of a program are one checkpoint, as a session found out: the expression that {@code
 * --group} would have. Later sessions begin with it, and all nodes of a job have the same. One that
 * is damaged is none. Thread-safe.
 */
public interface RememberedGrouping {
  /**
   * The expression that the store remembers.
   *
   * @return an expression; empty for none
   * @throws IOException when it cannot be read
   */
  Optional<String> recall() throws IOException;

  /**
   * Remembers an expression durably, unless another node of the job has done so first.
   *
   * @param expression without line breaks
   * @return what the store remembers then, which all nodes have
   * @throws IOException when it cannot be stored
   */
  String remember(String expression) throws IOException;

  /**
   * Remembers an expression durably in place of that of an earlier session.
   *
   * @param expression without line breaks
   * @return what the store remembers then
   * @throws IOException when it cannot be stored
   */
  String replace(String expression) throws IOException;
}
