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
import org.sluice.iop.checkpoint.SessionSettings;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Failure;

/**
 * The members that keep an I/O process alive which stops with its last member. Service thread only.
 */
public final class Members {
  /** The exit status of a member that vanished: it counts as one whose command was killed. */
  private static final int VANISHED = 137;

  private final Set<Connection> joined = new HashSet<>();
  private final SessionSettings settings;
  private final Journal journal;
  private final Drain drain;
  private boolean everJoined;
  private boolean failed;
  private int awaited;
  private Caller last;

  /** Creates the members, with those that a former I/O process had. */
  public Members(
      final SessionSettings settings,
      final Journal journal,
      final Drain drain,
      final SessionState past) {
    this.settings = settings;
    this.journal = journal;
    this.drain = drain;
    this.awaited = past.members();
    this.failed = past.memberFailed();
  }

  Reply join(final Connection connection, final String store) {
    if (!isOwn(store)) {
      return new Reply.Failed(
          Errno.EBUSY,
          "the I/O process %s writes to %s and not to %s; give it another --name"
              .formatted(settings.name(), settings.store(), store));
    }
    if (last != null) {
      last.answer(new Reply.Done());
      last = null;
    }
    if (awaited > 0) {
      awaited--;
    } else {
      journal.write(new Entry.Joined());
    }
    everJoined = true;
    joined.add(connection);
    connection.member(true);
    return new Reply.Done();
  }

  private boolean isOwn(final String store) {
    final String own = settings.store();
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
   * Removes a member. The last one is answered when the session is over. While former members may
   * come back nobody knows which is the last. In a session that outlives its members none is.
   */
  void leave(final Connection connection, final int exitStatus, final Caller caller) {
    if (!connection.isMember()) {
      caller.answer(new Reply.Failed(Errno.EINVAL, "no member"));
      return;
    }
    remove(connection, exitStatus);
    if (!joined.isEmpty()) {
      caller.answer(new Reply.Done());
    } else if (settings.endsWithMembers()) {
      last = caller;
    } else {
      drain.afterwards(() -> caller.answer(new Reply.Done()));
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
    journal.write(new Entry.Left(exitStatus == 0));
  }

  public boolean isEmpty() {
    return joined.isEmpty();
  }

  /** Notes that the process which started the session will not come. */
  public void expectNobody() {
    everJoined = true;
  }

  /** Returns whether others may come, since none has yet, or come back to a resumed I/O process. */
  public boolean areAwaited() {
    return !everJoined || awaited > 0;
  }

  public boolean succeeded() {
    return !failed;
  }

  /** Tells the last member that everything is drained and committed. */
  public void sessionOver(final Optional<Failure> failure) {
    if (last != null) {
      last.answer(failure.map(Members::lost).orElse(new Reply.Done()));
    }
  }

  /** Tells the last member that the session ends before that; returns false where there is none. */
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
