package org.sluice.core.store.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.disk.Disk;

/**
 * The lock on the waves of MPI programs in a store. A job takes the lock, or a command while no job
 * has the waves.
 */
public final class JobLock {
  private JobLock() {}

  /**
   * Takes the waves of a folder.
   *
   * @return lock held until it is closed; empty when another process has the waves
   */
  public static Optional<NativeFile> tryTake(final Path folder) throws IOException {
    SeriesFormat.createFolder(path(folder).getParent());
    final NativeFile job =
        Disk.REAL.open(path(folder), NativeFile.Flag.WRITE, NativeFile.Flag.CREATE);
    if (job.tryLock()) {
      return Optional.of(job);
    }
    job.close();
    return Optional.empty();
  }

  /**
   * Returns whether a running job has taken the waves of a folder.
   *
   * @return false also for a series that several nodes write: no job takes waves there
   */
  public static boolean isTaken(final Path folder) throws IOException {
    if (!Files.exists(path(folder))) {
      return false;
    }
    final Optional<NativeFile> taken = tryTake(folder);
    if (taken.isPresent()) {
      taken.get().close();
    }
    return taken.isEmpty();
  }

  private static Path path(final Path folder) {
    return folder.resolve("mpi/job");
  }
}
