package org.sluice.iop.service;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.sluice.core.posix.Errno;
import org.sluice.core.request.Reply;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.image.Image;

/** Those who keep an I/O process alive that stops with its last member. Service thread only. */
final class Members {
  /** A member that vanished counts as one whose command was killed. */
  private static final int VANISHED = 137;

  private final Set<Connection> joined = new HashSet<>();
  private boolean everJoined;
  private boolean failed;
  private Caller last;

  void join(final Connection connection) {
    everJoined = true;
    joined.add(connection);
    connection.member(true);
    connection.answer(new Reply.Done());
  }

  /** The last one is answered when the session is over. */
  void leave(final Connection connection, final int exitStatus) {
    if (!connection.isMember()) {
      connection.answer(new Reply.Failed(Errno.EINVAL, "no member"));
      return;
    }
    remove(connection, exitStatus);
    if (joined.isEmpty()) {
      last = connection;
    } else {
      connection.answer(new Reply.Done());
    }
  }

  void disconnected(final Connection connection) {
    if (connection.isMember()) {
      remove(connection, VANISHED);
    }
  }

  private void remove(final Connection connection, final int exitStatus) {
    joined.remove(connection);
    connection.member(false);
    failed |= exitStatus != 0;
  }

  /** Whether there were members and all have left. */
  boolean allLeft() {
    return everJoined && joined.isEmpty();
  }

  boolean noneCame() {
    return !everJoined;
  }

  boolean succeeded() {
    return !failed;
  }

  /**
   * Tells the last member that everything is drained and committed.
   *
   * @param failure what kept something from it
   */
  void sessionOver(final Optional<Exception> failure) {
    if (last != null) {
      last.answer(failure.map(Members::lost).orElse(new Reply.Done()));
    }
  }

  private static Reply lost(final Exception failure) {
    return new Reply.Failed(
        Image.errnoOf(failure),
        "not all files reached storage: %s; run it again".formatted(failure.getMessage()));
  }
}
