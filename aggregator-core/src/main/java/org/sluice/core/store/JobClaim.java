package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;

/**
 * Keeps a store, or on this node its series, for one job that commits files by their names. The
 * lock goes with the process, however that ends. Thread-safe.
 */
public final class JobClaim {
  private static final String NAME = "job";
  private static final int MOST = 8192;

  private final Path file;

  private JobClaim(final Path file) {
    this.file = file;
  }

  /** Of a store of one node, or of this node's in a series: each run has a new store there. */
  static JobClaim of(final StoreDirectory store) throws IOException {
    return store.format().isPart()
        ? ofNode(store.path().getParent())
        : new JobClaim(store.path().resolve(NAME));
  }

  /**
   * Of this node, among the stores that its runs have in a series.
   *
   * @param data the folder that they are in
   * @return taken by nobody yet, as far as this object goes
   * @throws IOException when the node has no name
   */
  public static JobClaim ofNode(final Path data) throws IOException {
    return new JobClaim(data.resolve(NAME + "-" + NodeIdentity.self().name()));
  }

  /**
   * Takes the store.
   *
   * @param who what other jobs are told, a line
   * @return what has it until it is closed; empty when another process has it
   * @throws IOException when the kernel refuses
   */
  public Optional<NativeFile> tryTake(final String who) throws IOException {
    final NativeFile job = Disk.REAL.open(file, Flag.WRITE, Flag.CREATE);
    if (!job.tryLock()) {
      job.close();
      return Optional.empty();
    }
    job.truncate(0);
    Disk.write(job, FileName.encode(who + "\n"));
    return Optional.of(job);
  }

  /**
   * The job that has the store.
   *
   * @return what that one said of itself; of none that was just taken
   * @throws IOException when it cannot be read
   */
  public Optional<String> holder() throws IOException {
    try {
      return Optional.of(FileName.decode(StoredFile.readAll(file, MOST)).strip())
          .filter(who -> !who.isEmpty());
    } catch (final DamagedException none) {
      return Optional.empty();
    }
  }

  /**
   * Whether another process has it.
   *
   * @return false also where nobody ever had
   * @throws IOException when the kernel refuses
   */
  public boolean isTaken() throws IOException {
    if (!Files.exists(file)) {
      return false;
    }
    try (NativeFile job = Disk.REAL.open(file, Flag.WRITE)) {
      return !job.tryLock();
    }
  }
}
