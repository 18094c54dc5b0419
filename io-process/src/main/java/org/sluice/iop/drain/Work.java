package org.sluice.iop.drain;

import java.io.IOException;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.Subject;

/**
 * A chunk on its way through the {@link Pipeline}, or a request that has to keep its place among
 * the chunks. Each stage calls its method once, one work after another, in the order of
 * publication. So a field that one stage alone uses needs no synchronisation, and later stages may
 * read a field that a stage sets.
 */
public interface Work {
  /**
   * Takes the step of the first stage: checks bytes from shared memory and copies out those that
   * the later stages use.
   */
  default void validate() throws IOException {}

  /**
   * Takes the step of the second stage: writes to storage, and gives memory back to the application
   * processes.
   */
  default void write() throws IOException {}

  /**
   * Returns whether all chunks before it are to be written first; a thread is woken for the third
   * stage then; false for a chunk, and where only {@link #validate} does anything.
   */
  default boolean commits() {
    return true;
  }

  /**
   * Returns whether the write stage may come to it before the chunks ahead of it are written. The
   * last stage comes to it after them all the same.
   *
   * @return false for work that needs them in its second step
   */
  default boolean joins() {
    return false;
  }

  /**
   * Returns whether the last stage may leave it until there is nothing else to do. Work that does
   * not {@linkplain #overtakes overtake} comes behind it all the same.
   */
  default boolean waits() {
    return false;
  }

  /** Returns whether the last stage may come to it before earlier work that {@link #waits}. */
  default boolean overtakes() {
    return false;
  }

  /** Returns whether processes wait for it; false for work that only prepares for more. */
  default boolean isAwaited() {
    return true;
  }

  /** Takes the step of the third stage: waits for stable storage. */
  default void commit() throws IOException {}

  /**
   * Fails the work. The stage in which storage failed calls this instead of its step or after it,
   * exactly once; the later stages leave the work alone then. Anything else that is thrown ends the
   * I/O process.
   */
  default void fail(final IOException failure) {
    throw new IllegalStateException(failure);
  }

  /**
   * Returns the subject of the work, for an I/O process that goes on where this one failed; {@link
   * Subject#NONE} for work that cannot be left out.
   */
  default Subject subject() {
    return Subject.NONE;
  }

  /** Returns the number that tells the work from others of its kind, over resumptions. */
  default long id() {
    return 0;
  }

  /**
   * Returns the process that asked for the work.
   *
   * @return a slot; {@link Lane#NO_SLOT} when it is not one process's
   */
  default int slot() {
    return Lane.NO_SLOT;
  }

  /**
   * Returns the image that the work is about.
   *
   * @return its id; {@link Lane#NO_IMAGE} when there is none, or more than one
   */
  default int imageId() {
    return Lane.NO_IMAGE;
  }

  /**
   * Returns whether the work outlasts its step in a stage: it says itself when it has passed; false
   * unless the layout holds it.
   */
  default boolean isHeld(final Lane.Role role) {
    return false;
  }
}
