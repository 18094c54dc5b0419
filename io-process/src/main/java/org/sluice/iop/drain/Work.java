package org.sluice.iop.drain;

import java.io.IOException;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.Subject;

/**
 * One thing on its way through the {@link Pipeline}: a chunk, or a request that has to keep its
 * place among the chunks. Each stage calls its method once, on its own thread, in the order of
 * publication; so a field that one stage alone uses needs no synchronisation, and a field that a
 * stage sets may be read by the later ones.
 */
public interface Work {
  /**
   * First stage: checks what came from shared memory and copies out what the later stages use.
   *
   * @throws IOException when the work cannot be done
   */
  default void validate() throws IOException {}

  /**
   * Second stage: writes to storage, and gives memory back to the application processes.
   *
   * @throws IOException when the work cannot be done
   */
  default void write() throws IOException {}

  /**
   * Whether all chunks before it are to be written first; the third stage is woken then.
   *
   * @return false for a chunk, and where only {@link #validate} does anything
   */
  default boolean commits() {
    return true;
  }

  /**
   * Whether the write stage may come to it before the chunks ahead of it are written. The last
   * stage comes to it behind them all the same.
   *
   * @return false for what needs them in its second step
   */
  default boolean joins() {
    return false;
  }

  /**
   * Whether processes wait for it.
   *
   * @return false for what only prepares for more
   */
  default boolean isAwaited() {
    return true;
  }

  /**
   * Third stage: waits for stable storage.
   *
   * @throws IOException when the work cannot be done
   */
  default void commit() throws IOException {}

  /**
   * Called by the stage in which storage failed, instead of its step or after it, exactly once; the
   * later stages leave the work alone then. Anything else that is thrown ends the I/O process.
   *
   * @param failure what was thrown
   */
  default void fail(final IOException failure) {
    throw new IllegalStateException(failure);
  }

  /**
   * What the work is about, for an I/O process that goes on where this one failed.
   *
   * @return {@link Subject#NONE} for what cannot be left out
   */
  default Subject subject() {
    return Subject.NONE;
  }

  /**
   * Tells the work from others of its kind, over resumptions.
   *
   * @return as the subject says
   */
  default long id() {
    return 0;
  }

  /**
   * The process that asked for the work.
   *
   * @return a slot; {@link Lane#NO_SLOT} when it is not one process's
   */
  default int slot() {
    return Lane.NO_SLOT;
  }

  /**
   * The image that the work is about.
   *
   * @return its id; {@link Lane#NO_IMAGE} when there is none, or more than one
   */
  default int imageId() {
    return Lane.NO_IMAGE;
  }

  /**
   * Whether the work is not over in a stage when its step is: it says itself when it has passed.
   *
   * @param role the stage's thread
   * @return false unless the layout holds it
   */
  default boolean isHeld(final Lane.Role role) {
    return false;
  }
}
