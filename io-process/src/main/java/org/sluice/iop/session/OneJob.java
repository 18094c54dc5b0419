package org.sluice.iop.session;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.directory.JobClaim;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.wave.WaveFiles;

/**
 * The claim of one job to a store or a series. A store is claimed by each job that commits files by
 * their names, a series by every job. Two jobs would replace each other's checkpoints, or the later
 * one would fence the earlier. After the end of a program the log of a series keeps jobs apart. All
 * methods but {@link #leave} are called on a single thread.
 */
final class OneJob implements AutoCloseable {
  /** The longest wait for the end of the job before. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration AGAIN = Duration.ofMillis(100);

  /** The interval at which a job renews its claim, for jobs on other nodes. */
  private static final Duration RENEWAL = Duration.ofSeconds(2);

  private final Settings settings;
  private Optional<JobClaim.Held> held = Optional.empty();

  /** Creates a claim; nothing is taken yet. */
  OneJob(final Settings settings) {
    this.settings = settings;
  }

  /**
   * Takes a store of one node, unless the session commits nothing by names.
   *
   * @param claim claim of a running job to the store
   * @param goesOn whether the session goes on for a killed I/O process
   * @return false where another job has the store, and this one does without checkpoints, as its
   *     user asked for none and its files are plain
   * @throws CommandException when another job has the store
   */
  boolean take(final Path store, final JobClaim claim, final boolean goesOn) throws IOException {
    final Grouping grouping = settings.session().checkpoints().grouping();
    if (!grouping.exists() || settings.capture().isEmpty()) {
      return true;
    }
    final boolean asked = grouping.isKnown() || settings.layout().impliesCheckpoints();
    if (asked) {
      held = Optional.of(await(store.toString(), claim, ""));
      return true;
    }
    held = goesOn ? tryAwait(claim, "") : claim.tryTake("", who());
    if (held.isEmpty()) {
      Warnings.warn(
          "another job has the store %s: %s; files of this one are in no checkpoint, unless it has a --store of its own, or a --series of its own in a store with series"
              .formatted(store, holder(claim)));
    }
    return held.isPresent();
  }

  /**
   * Takes this node's place in a series. Other nodes see the claim.
   *
   * @param data folder with the stores of the series' runs
   * @throws CommandException when another job has the place
   */
  void take(final String store, final Path data, final String run) throws IOException {
    final JobClaim claim = JobClaim.ofNode(data);
    Optional<JobClaim.Held> taken = tryAwait(claim, run);
    if (taken.isEmpty()) { // the log fences late writes of an earlier launch
      taken = claim.tryTakeOver(earlier -> RunName.isLaterLaunch(earlier, run), run, who());
    }
    hold(taken.orElseThrow(() -> busy(store, holder(claim))));
  }

  /**
   * Takes the place for the successor of a killed I/O process. Where another job was quicker, the
   * log fences this one, which makes plain files of its images.
   */
  void takeAgain(final Path data, final String run) throws IOException {
    if (held.isEmpty()) {
      JobClaim.ofNode(data).tryTake(run, who()).ifPresent(this::hold);
    }
  }

  private void hold(final JobClaim.Held taken) {
    held = Optional.of(taken);
    Thread.ofPlatform().daemon().name("claim").start(this::renew);
  }

  private String who() {
    return "%s (process %d, files in %s)"
        .formatted(
            settings.session().name(),
            ProcessHandle.current().pid(),
            settings.capture().map(Quoting::name).orElse("no directory"));
  }

  private JobClaim.Held await(final String store, final JobClaim claim, final String run)
      throws IOException {
    return tryAwait(claim, run).orElseThrow(() -> busy(store, holder(claim)));
  }

  private Optional<JobClaim.Held> tryAwait(final JobClaim claim, final String run)
      throws IOException {
    final long end =
        System.nanoTime() + Math.max(PATIENCE.toNanos(), WaveFiles.farewell().toNanos());
    Optional<JobClaim.Held> taken = claim.tryTake(run, who());
    while (taken.isEmpty() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(AGAIN.toNanos());
      taken = claim.tryTake(run, who());
    }
    return taken;
  }

  private static String holder(final JobClaim claim) {
    try {
      return claim.holder().orElse("one that has just begun");
    } catch (final IOException e) {
      return e.getMessage();
    }
  }

  /** Returns the error for a store of another job, the same for each way to find that job. */
  static CommandException busy(final String store, final String holder) {
    return new CommandException(
        ExitStatus.BUSY,
        "another job has the store %s: %s; wait for its end, or give each job a --store of its own, or a --series of its own in a store with series"
            .formatted(store, holder));
  }

  private void renew() {
    try {
      while (true) {
        Thread.sleep(RENEWAL);
        held.get().renew();
      }
    } catch (final IOException e) {
      Warnings.warn("another job may take this one for dead: " + e.getMessage());
    } catch (final InterruptedException never) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets another job begin. A second call does nothing. Any thread. */
  void leave() {
    try {
      close();
    } catch (final IOException e) {
      Warnings.warn("another job may be refused until this one is over: " + e.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    if (held.isPresent()) {
      held.get().close();
    }
  }
}
