package org.sluice.iop.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;

/** All who keep an I/O process alive that stops with its last member. Service thread only. */
public final class Members {
  /** A member that vanished counts as one whose command was killed. */
  private static final int VANISHED = 137;

  private final Set<Connection> joined = new HashSet<>();
  private final Context context;
  private boolean everJoined;
  private boolean failed;
  private int awaited;
  private Caller last;

  /** A session with the members that a former I/O process had. */
  public Members(final Context context, final SessionState past) {
    this.context = context;
    this.awaited = past.members();
    this.failed = past.memberFailed();
  }

  Reply join(final Connection connection, final String store) {
    if (!isOwn(store)) {
      return new Reply.Failed(
          Errno.EBUSY,
          "the I/O process %s writes to %s and not to %s; give it another --name"
              .formatted(context.settings().name(), context.settings().store(), store));
    }
    if (last != null) {
      last.answer(new Reply.Done());
      last = null;
    }
    if (awaited > 0) {
      awaited--;
    } else {
      context.journal().write(new Entry.Joined());
    }
    everJoined = true;
    joined.add(connection);
    connection.member(true);
    return new Reply.Done();
  }

  private boolean isOwn(final String store) {
    final String own = context.settings().store();
    try {
      return own.equals(store)
          || own.startsWith("/")
              && store.startsWith("/")
              && Files.isSameFile(Path.of(own), Path.of(store));
    } catch (final IOException | InvalidPathException e) {
      return false;
    }
  }

  /**
   * The last one is answered when the session is over. While former members may come back nobody
   * knows who is the last; and no member of a session that outlives its members is.
   */
  void leave(final Connection connection, final int exitStatus, final Caller caller) {
    if (!connection.isMember()) {
      caller.answer(new Reply.Failed(Errno.EINVAL, "no member"));
      return;
    }
    remove(connection, exitStatus);
    if (!joined.isEmpty()) {
      caller.answer(new Reply.Done());
    } else if (context.settings().endsWithMembers()) {
      last = caller;
    } else {
      context.drain().afterwards(() -> caller.answer(new Reply.Done()));
    }
  }

  public void disconnected(final Connection connection) {
    if (connection.isMember()) {
      remove(connection, VANISHED);
    }
  }

  private void remove(final Connection connection, final int exitStatus) {
    joined.remove(connection);
    connection.member(false);
    failed |= exitStatus != 0;
    context.journal().write(new Entry.Left(exitStatus == 0));
  }

  public boolean isEmpty() {
    return joined.isEmpty();
  }

  /** Who started the session will not come. */
  public void expectNobody() {
    everJoined = true;
  }

  /** Whether others may come, since none has yet, or come back to a resumed I/O process. */
  public boolean areAwaited() {
    return !everJoined || awaited > 0;
  }

  public boolean succeeded() {
    return !failed;
  }

  /**
   * Tells the last member that everything is drained and committed.
   *
   * @param failure what kept something from it
   */
  public void sessionOver(final Optional<Failure> failure) {
    if (last != null) {
      last.answer(failure.map(Members::lost).orElse(new Reply.Done()));
    }
  }

  /** Tells the last member that the session ends before that; false where there is none. */
  boolean keep() {
    if (last != null) {
      last.answer(new Reply.Failed(Errno.ETIMEDOUT, "the grace is over"));
    }
    return last != null;
  }

  private static Reply lost(final Failure failure) {
    return new Reply.Failed(failure.errno(), failure.line("run it again"));
  }
}
