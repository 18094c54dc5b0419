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
 * Keeps a store for one job at a time that commits files by their names, and a series for one job
 * at all. Two would replace each other's checkpoints, or the later one would fence the other. From
 * its program's end on the log of a series keeps jobs apart. One thread but for {@link #leave}.
 */
final class OneJob implements AutoCloseable {
  /** The end of the job before may take a moment. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration AGAIN = Duration.ofMillis(100);

  /** How often a job says that it lives, for others on other nodes. */
  private static final Duration RENEWAL = Duration.ofSeconds(2);

  private final Settings settings;
  private Optional<JobClaim.Held> held = Optional.empty();

  /** Nothing is taken so far. */
  OneJob(final Settings settings) {
    this.settings = settings;
  }

  /**
   * Takes a store of one node, unless the session commits nothing by names.
   *
   * @param store the directory that is the store to a user
   * @param claim what a job has while it runs
   * @param goesOn whether the session goes on for a killed I/O process
   * @return false where another job has it, and this one does without checkpoints: its user asked
   *     for none, and its files are plain ones
   * @throws CommandException when another job has it
   */
  boolean take(final Path store, final JobClaim claim, final boolean goesOn) throws IOException {
    final Grouping grouping = settings.session().grouping();
    if (!grouping.exists() || settings.capture() == null) {
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
   * Takes this node's place in a series. Other nodes see that it is taken.
   *
   * @param store as the user names it
   * @param data the folder that the stores of the series' runs are in
   * @param run what the launch is called
   * @throws CommandException when another job has it
   */
  void take(final String store, final Path data, final String run) throws IOException {
    final JobClaim claim = JobClaim.ofNode(data);
    Optional<JobClaim.Held> taken = tryAwait(claim, run);
    if (taken.isEmpty()) { // the log fences what an earlier launch has left
      taken = claim.tryTakeOver(earlier -> RunName.isLaterLaunch(earlier, run), run, who());
    }
    hold(taken.orElseThrow(() -> busy(store, holder(claim))));
  }

  /**
   * Takes it for the successor of a killed I/O process. Where another job was quicker, the log
   * fences this one, which makes plain files of what it has.
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
            settings.capture() == null ? "no directory" : Quoting.name(settings.capture()));
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

  /** One line for each way to find another job. */
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

  /** Lets another job begin; again it does nothing. Any thread. */
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
