package org.sluice.core.store.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.format.StoredFile;

/**
 * The claim of one job to a store, or on this node to its series. The lock ends with the process,
 * in any case. Other nodes may not see a lock, so a live job renews its claim, whose time they see.
 * Thread-safe.
 */
public final class JobClaim {
  private static final String NAME = "job";
  private static final int MOST = 8192;

  private final Path file;

  private JobClaim(final Path file) {
    this.file = file;
  }

  /** A claim that a job holds until it is closed. Thread-safe. */
  public final class Held implements AutoCloseable {
    private NativeFile lock;

    private Held(final NativeFile lock) {
      this.lock = lock;
    }

    /** Renews the claim of a live job; a closed claim is left alone. */
    public synchronized void renew() throws IOException {
      if (lock != null) {
        Names.touch(file);
      }
    }

    /** Lets another job begin; a second call does nothing. */
    @Override
    public synchronized void close() throws IOException {
      if (lock != null) {
        try (NativeFile job = lock) {
          lock = null;
          job.truncate(0);
        }
      }
    }
  }

  /**
   * Returns the claim to a store of one node, or to this node's place in a series: each run has a
   * new store there.
   */
  public static JobClaim of(final StoreDirectory store) throws IOException {
    return store.format().isPart()
        ? ofNode(store.path().getParent())
        : new JobClaim(store.path().resolve(NAME));
  }

  /** Returns the claim of this node among the stores that its runs have in a series. */
  public static JobClaim ofNode(final Path data) throws IOException {
    return new JobClaim(data.resolve(NAME + "-" + NodeIdentity.self().name()));
  }

  /**
   * Returns the claims of a run on all nodes.
   *
   * @return time of each claim's last renewal, by the clock of its node or of the storage
   */
  public static Map<Path, FileTime> ofRun(final Path data, final String run) throws IOException {
    final Map<Path, FileTime> claims = new HashMap<>();
    for (final Path path : Names.in(data)) {
      if (path.getFileName().toString().startsWith(NAME + "-")) {
        try {
          if (new JobClaim(path).line(0).filter(run::equals).isPresent()) {
            claims.put(path, Files.getLastModifiedTime(path));
          }
        } catch (final NoSuchFileException gone) {
          // a user has removed the claim
        }
      }
    }
    return claims;
  }

  /**
   * @param run name of the job for others; empty where it has none
   * @return claim held until it is closed; empty when another process has it
   */
  public Optional<Held> tryTake(final String run, final String who) throws IOException {
    final NativeFile job = Disk.REAL.open(file, Flag.WRITE, Flag.CREATE);
    if (!job.tryLock()) {
      job.close();
      return Optional.empty();
    }
    job.truncate(0);
    Disk.write(job, FileName.encode(run + "\n" + who + "\n"));
    return Optional.of(new Held(job));
  }

  /** Returns the line of the job that has the store; empty for a claim just taken. */
  public Optional<String> holder() throws IOException {
    return line(1);
  }

  /**
   * Takes the store from an earlier launch of the same job, which has left a process that nobody
   * needs.
   *
   * @return claim held until it is closed; empty where another job has it
   */
  public Optional<Held> tryTakeOver(
      final Predicate<String> isEarlier, final String run, final String who) throws IOException {
    if (line(0).filter(isEarlier).filter(holder -> !holder.equals(run)).isEmpty()) {
      return Optional.empty();
    }
    Files.deleteIfExists(file);
    return tryTake(run, who);
  }

  private Optional<String> line(final int number) throws IOException {
    try {
      final Iterator<String> lines =
          FileName.decode(StoredFile.readAll(file, MOST)).lines().skip(number).iterator();
      return lines.hasNext() ? Optional.of(lines.next()) : Optional.empty();
    } catch (final DamagedException none) {
      return Optional.empty();
    }
  }
}
