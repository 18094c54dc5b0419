package org.sluice.iop.service;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.posix.Quoting;
import org.sluice.core.request.Request;
import org.sluice.core.request.RuntimePath;
import org.sluice.iop.checkpoint.SessionSettings;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.trigger.Unfinished;

/**
 * The time that a session has once its job is told to stop. A process that is still to be killed
 * cannot say which bytes it has lost, so checkpoints not committed in time are named before. Their
 * bytes stay where a killed I/O process leaves them, and need no other way back. Journal and
 * segment are kept, and this process ends at once. Service thread only.
 *
 * <p>The time is counted from the first signal on; later signals within it change nothing. Commands
 * that go on beyond it are let be: their reaction to a signal is theirs to say. Once they have
 * ended the session has little more. A user who interrupts it then waits for no other node, though
 * for this node's own bytes to reach storage. Nobody enforces a limit where commands went on for as
 * long again: then the session has that time anew.
 */
public final class Preemption {
  /** The part of the time that the session has after a command which took all of it. */
  private static final int LATE_SHARE = 10;

  private final Publisher publisher;
  private final Members members;
  private final Unfinished unfinished;
  private final boolean endsWithMembers;
  private final long grace;
  private final Path directory;
  private boolean begun;
  private boolean told;
  private boolean interrupted;
  private Ending ending;
  private long since;
  private long deadline;

  public Preemption(
      final SessionSettings settings,
      final Publisher publisher,
      final Members members,
      final Unfinished unfinished)
      throws IOException {
    this.publisher = publisher;
    this.directory = RuntimePath.find(settings.name());
    this.members = members;
    this.unfinished = unfinished;
    this.endsWithMembers = settings.endsWithMembers();
    this.grace = settings.grace().toNanos();
  }

  /**
   * Begins the time: the job is to stop, unless it is known to be stopping. A resumed I/O process
   * hears of it late.
   */
  public void begin(final long agoNanos) {
    final long when = System.nanoTime() - agoNanos;
    if (!begun || deadline - when <= 0) {
      begun = true;
      told = false;
      since = when;
      limit(when + grace);
    }
  }

  /**
   * Takes a request to stop, if the session is its member's: others may use a session that serves
   * more than a job.
   */
  void requested(final Request.Preempt request) {
    if (!endsWithMembers) {
      return;
    }
    if (request.grace() == 0) {
      interrupt();
    } else {
      begin(TimeUnit.MILLISECONDS.toNanos(request.grace() - 1L));
    }
  }

  /** Notes that a user waits for the end of the session, and does not want to any longer. */
  public void interrupt() {
    if (ending != null) {
      begin(0);
      interrupted = true;
    }
  }

  /** Notes that the session begins to end. */
  public void ending(final Ending end) {
    ending = end;
    if (begun) {
      limit(isOver() ? late() : deadline);
    }
  }

  private long late() {
    final long now = System.nanoTime();
    return now + (now - deadline < grace ? grace / LATE_SHARE : grace);
  }

  private void limit(final long when) {
    deadline = when;
    if (ending != null) {
      publisher.limit(deadline);
    }
  }

  private boolean isOver() {
    return deadline - System.nanoTime() <= 0;
  }

  /** Looks at the clock. */
  public void proceed() {
    if (interrupted && ending.waitsForOthers()) {
      limit(System.nanoTime());
    }
    if (begun && isOver()) {
      if (ending != null && !leaveCopies()) {
        giveUp();
      } else if (ending == null && !told) {
        told = true;
        tell("the command goes on", grace, unfinished.lines());
      }
    }
  }

  private boolean leaveCopies() {
    return publisher.uploads().giveUp(new IOException("the grace was over before it was copied"));
  }

  private void tell(final String what, final long nanos, final List<String> lines) {
    Warnings.warn(
        "%s %d s after it was told to stop%s"
            .formatted(
                what,
                TimeUnit.NANOSECONDS.toSeconds(nanos),
                lines.isEmpty() ? "; all checkpoints are committed" : ""));
    lines.forEach(Warnings::warn);
  }

  private void giveUp() {
    final List<String> lines = new ArrayList<>(unfinished.lines());
    lines.addAll(unfinished.incompleteFiles());
    tell("the session is not over", System.nanoTime() - since, lines);
    if (!members.keep()) {
      Warnings.warn(
          "what was not drained is kept: bash %s brings it to storage"
              .formatted(Quoting.name(directory.resolve(ResumeScript.NAME).toString())));
    }
    System.err.flush();
    Runtime.getRuntime().halt(ExitStatus.PREEMPTED.code());
  }
}
