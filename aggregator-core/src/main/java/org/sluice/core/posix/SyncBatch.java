package org.sluice.core.posix;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.sluice.core.libc.PosixException;

/**
 * Syncs of several files at a time by one thread, which waits once for all of them. On a node whose
 * cores are all taken each wait costs a time slice of another process. The file system, too, makes
 * one transaction of what it is asked for at once.
 *
 * <p>Where the kernel takes no such requests, and for files that a test or a rehearsal watches,
 * files are synchronised one after another.
 */
public final class SyncBatch {
  /** The most syncs under way, for whose files a caller may need descriptors. */
  public static final int MOST = 16;

  /** The means of this process, as the kernel takes long to end them. Held under {@link #LOCK}. */
  private static KernelRequests requests;

  private static final ReentrantLock LOCK = new ReentrantLock();

  private SyncBatch() {}

  /**
   * Brings the data of files to stable storage, and the metadata needed to read it back; of
   * directories, their entries. All files are tried, also after a failure. Thread-safe.
   *
   * @param files open files and directories, each once
   * @throws PosixException failure of the first file that failed, see {@link NativeFile#sync}
   */
  public static void sync(final List<NativeFile> files) throws PosixException {
    PosixException failure = null;
    for (int from = 0; from < files.size(); from += MOST) {
      final PosixException next = part(files.subList(from, Math.min(from + MOST, files.size())));
      failure = failure == null ? next : failure;
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static PosixException part(final List<NativeFile> files) {
    if (files.size() > 1 && LOCK.tryLock()) {
      try {
        return atOnce(files);
      } finally {
        LOCK.unlock();
      }
    }
    return oneByOne(files);
  }

  private static PosixException oneByOne(final List<NativeFile> files) {
    PosixException failure = null;
    for (final NativeFile file : files) {
      try {
        if (isDirectory(file)) {
          file.syncAll();
        } else {
          file.sync();
        }
      } catch (final PosixException e) {
        failure = failure == null ? e : failure;
      }
    }
    return failure;
  }

  /**
   * Holds the locks of all files until all have ended. Nobody else holds more than one of them, so
   * no two threads wait for each other.
   */
  private static PosixException atOnce(final List<NativeFile> files) {
    requests = requests == null ? new KernelRequests(MOST) : requests;
    final List<NativeFile> others = new ArrayList<>();
    final List<NativeFile> locked = new ArrayList<>();
    for (final NativeFile file : files) {
      file.syncLock.lock();
      if (!file.isLost() && file.syncsPlainly()) {
        requests.prepare(locked.size(), kind(file), file, 0, 0, 0);
        locked.add(file);
      } else {
        file.syncLock.unlock();
        others.add(file);
      }
    }
    final int taken = requests.submit(0, locked.size());
    final List<NativeFile> refused = locked.subList(taken, locked.size());
    refused.forEach(file -> file.syncLock.unlock());
    others.addAll(refused);
    final PosixException further = oneByOne(others);
    final PosixException failure = await(locked.subList(0, taken));
    return failure != null ? failure : further;
  }

  /** For a file system an entry may be no data of its directory. */
  private static short kind(final NativeFile file) {
    return isDirectory(file) ? KernelRequests.FSYNC : KernelRequests.FDSYNC;
  }

  private static boolean isDirectory(final NativeFile file) {
    return file.type() == FileType.DIRECTORY;
  }

  private static PosixException await(final List<NativeFile> taken) {
    final PosixException[] failures = new PosixException[taken.size()];
    int left = taken.size();
    while (left > 0) {
      left -=
          requests.take(
              left,
              (place, result) -> {
                final NativeFile file = taken.get(place);
                failures[place] = result < 0 ? file.lose((int) -result) : null;
                file.syncLock.unlock();
              });
    }
    return Stream.of(failures).filter(Objects::nonNull).findFirst().orElse(null);
  }
}
