package org.sluice.core.store.directory;

import java.io.IOException;
import java.util.Optional;

/**
 * The grouping of a program's files into checkpoints, as a session found it out: the expression for
 * {@code --group}. Later sessions begin with it, and all nodes of a job have the same. A damaged
 * one is ignored. Thread-safe.
 */
public interface RememberedGrouping {
  /** Returns the expression that the store remembers; empty for none. */
  Optional<String> recall() throws IOException;

  /**
   * Remembers an expression durably, unless another node of the job has done so first.
   *
   * @param expression expression without line breaks
   * @return remembered expression then, which all nodes have
   */
  String remember(String expression) throws IOException;

  /**
   * Remembers an expression durably in place of that of an earlier session.
   *
   * @param expression expression without line breaks
   */
  String replace(String expression) throws IOException;
}
