package org.sluice.iop;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.JobClaim;
import org.sluice.iop.measure.Warnings;

/**
 * Keeps a store, or on this node a series, for one job at a time that commits files by their names.
 * Two would replace each other's checkpoints. Jobs on several nodes that begin on different ones
 * the series' log keeps apart.
 *
 * @param store the directory that is the store to a user
 * @param claim what a job has while it runs
 */
record OneJob(Path store, JobClaim claim) {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration AGAIN = Duration.ofMillis(100);

  /** A store that a job has. Thread-safe. */
  static final class Held implements AutoCloseable {
    private final NativeFile lock;
    private final AtomicBoolean left = new AtomicBoolean();

    private Held(final NativeFile lock) {
      this.lock = lock;
    }

    /** Lets another job begin; again it does nothing. */
    void leave() {
      try {
        close();
      } catch (final PosixException e) {
        Warnings.warn("another job may be refused until this one is over: " + e.getMessage());
      }
    }

    @Override
    public void close() throws PosixException {
      if (left.compareAndSet(false, true)) {
        lock.close();
      }
    }
  }

  /** Whether a session commits files by their names. */
  static boolean isOne(final Settings settings) {
    return settings.session().grouping() != null
        && settings.capture() != null
        && settings.stage() == null;
  }

  /**
   * Takes the store until what is returned is closed. The end of the job before may take a moment.
   *
   * @return empty for a session that commits nothing by names
   * @throws CommandException when another job has it
   */
  static Optional<Held> take(final Settings settings, final Path store, final JobClaim claim)
      throws IOException {
    return isOne(settings)
        ? Optional.of(new Held(new OneJob(store, claim).take(settings)))
        : Optional.empty();
  }

  private NativeFile take(final Settings settings) throws IOException {
    final String who =
        "%s (process %d, files in %s)"
            .formatted(
                settings.session().name(),
                ProcessHandle.current().pid(),
                Quoting.name(settings.capture()));
    final long end = System.nanoTime() + PATIENCE.toNanos();
    Optional<NativeFile> taken = claim.tryTake(who);
    while (taken.isEmpty() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(AGAIN.toNanos());
      taken = claim.tryTake(who);
    }
    return taken.orElseThrow(this::refusal);
  }

  /**
   * Finds that no other job has it, before the log says that a run begins.
   *
   * @throws CommandException when one has
   */
  void check() throws IOException {
    if (claim.isTaken()) {
      throw refusal();
    }
  }

  private CommandException refusal() {
    return new CommandException(
        ExitStatus.BUSY,
        "another job has the store %s: %s; wait for its end, or give each job a --store or a --series of its own"
            .formatted(store, holder()));
  }

  private String holder() {
    try {
      return claim.holder().orElse("one that has just begun");
    } catch (final IOException e) {
      return e.getMessage();
    }
  }
}
