package org.sluice.iop.session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.posix.Environment;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.request.RuntimePath;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.Segment;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.journal.Journal;

/**
 * A session of this node, as its runtime directory shows it from outside.
 *
 * @param since start of its I/O process
 */
public record NodeSession(Path directory, State state, Instant since, SegmentView segment) {
  private static final Pattern OF_USER = Pattern.compile("sluice-\\d+");

  /** The state of a session. */
  public enum State {
    /** The I/O process lives. */
    RUNNING,
    /** The I/O process was killed, and another can resume the session. */
    KILLED,
    /** The I/O process is dead, and nothing can resume the session. */
    DEAD
  }

  /**
   * The facts that a segment tells about its session.
   *
   * @param pid process id of its I/O process, even a dead one; 0 if unknown
   * @param store directory of its store; empty if unknown
   * @param capture its capture directory; empty for none
   * @param ranks number of attached processes that live
   * @param memory bytes of the segment
   */
  public record SegmentView(int pid, String store, String capture, int ranks, long memory) {
    private static final SegmentView UNREADABLE = new SegmentView(0, "", "", 0, 0);

    private static SegmentView of(final Segment segment, final Path file) throws IOException {
      final Header header = segment.header();
      return new SegmentView(
          header.process().pid(),
          header.store(),
          header.capture(),
          NodeSession.ranks(segment),
          FileStatus.behind(file.toString()).allocated());
    }
  }

  /**
   * Returns all sessions of this user, and for root those of other users as well. If the
   * environment names a directory, only its sessions are returned.
   */
  public static List<NodeSession> all() throws IOException {
    final List<NodeSession> all = new ArrayList<>();
    final Path base = RuntimePath.base();
    if (Environment.path(RuntimePath.BASE_VARIABLE).isPresent()) {
      in(base, all);
      return all;
    }
    for (final Path each : Names.in(base.getParent())) {
      if (OF_USER.matcher(each.getFileName().toString()).matches() && Files.isReadable(each)) {
        in(each, all);
      }
    }
    return all;
  }

  private static void in(final Path base, final List<NodeSession> all) throws IOException {
    for (final Path directory : Files.isDirectory(base) ? Names.in(base) : List.<Path>of()) {
      if (Files.isRegularFile(
          directory.resolve(RuntimeDirectory.LOCK), LinkOption.NOFOLLOW_LINKS)) {
        all.add(of(directory));
      }
    }
  }

  private static NodeSession of(final Path directory) throws IOException {
    final Path segment = directory.resolve(RuntimeDirectory.SEGMENT);
    final Instant since =
        FileStatus.of(directory.resolve(RuntimeDirectory.LOCK).toString()).modified();
    try (Segment mapped = Segment.map(segment)) {
      final State state =
          mapped.header().process().isAlive()
              ? State.RUNNING
              : stateWithout(directory, RuntimeDirectory.isUsed(mapped));
      return new NodeSession(directory, state, since, SegmentView.of(mapped, segment));
    } catch (final IOException unreadable) {
      return new NodeSession(
          directory,
          stateWithout(directory, unreadable instanceof FormatVersionException),
          since,
          SegmentView.UNREADABLE);
    }
  }

  private static int ranks(final Segment segment) {
    return (int)
        IntStream.range(0, segment.geometry().slots())
            .mapToObj(segment::slot)
            .filter(slot -> slot.isAttached() && slot.process().isAlive())
            .count();
  }

  /**
   * Returns the state of a session without a usable segment. A session that begins, or that has a
   * segment of another version, still holds its lock.
   */
  private static State stateWithout(final Path directory, final boolean used) throws IOException {
    try (NativeFile lock =
        NativeFile.open(directory.resolve(RuntimeDirectory.LOCK), NativeFile.Flag.WRITE)) {
      if (!lock.tryLock()) {
        return State.RUNNING;
      }
      return canGoOn(directory, used) ? State.KILLED : State.DEAD;
    }
  }

  private static boolean canGoOn(final Path directory, final boolean used) throws IOException {
    final Path journal = directory.resolve(RuntimeDirectory.JOURNAL);
    return Files.exists(journal)
        && Journal.isOfThisBoot(journal)
        && (used || Journal.hasEntries(journal));
  }

  /** Returns the name of the session to users. */
  public String name() {
    return directory.getFileName().toString();
  }

  /** Returns the user who owns the session. */
  public String user() throws IOException {
    return Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).getName();
  }

  /**
   * Removes the session's memory, and with it all bytes not drained.
   *
   * @throws CommandException when an I/O process has the session by now
   */
  public void remove() throws IOException {
    final Path file = directory.resolve(RuntimeDirectory.LOCK);
    try (NativeFile lock =
        NativeFile.open(file, NativeFile.Flag.WRITE, NativeFile.Flag.NO_FOLLOW)) {
      if (!lock.tryLock() || !ImageKey.of(lock).isAt(file.toString())) {
        throw new CommandException(
            ExitStatus.BUSY, "an I/O process has %s now".formatted(directory));
      }
      RuntimeDirectory.delete(directory);
    }
  }
}
