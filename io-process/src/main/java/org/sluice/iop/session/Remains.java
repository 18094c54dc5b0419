package org.sluice.iop.session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentException;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.wave.WaveFiles;

/**
 * The directories that dead I/O processes left beside a starting one. Some of them nobody resumes,
 * and shared memory is scarce. A process that resumes or starts a session has the lock of its
 * directory.
 */
final class Remains {
  private static final Pattern RUN = Pattern.compile("run-(\\d{1,9})");

  private final Path own;

  Remains(final Path own) {
    this.own = own;
  }

  /** A condition on a directory, which is a runtime directory or the store of a job. */
  private interface Condition {
    boolean test(Path directory) throws IOException;
  }

  /** Removes the directories of I/O processes that died before a process could use them. */
  void removeStarts() throws IOException {
    remove(Remains::diedAtStart);
  }

  /**
   * Removes the directories of dead jobs whose waves are in a store. Such a job restarts from a
   * wave of its store.
   */
  void removeJobs(final Path store) throws IOException {
    remove(directory -> isOfDeadJob(directory, its -> SeriesDirectory.root(its).equals(store)));
  }

  /** Removes the directories of dead jobs whose waves are in any store. */
  void removeDeadRuns() throws IOException {
    remove(directory -> isOfDeadRun(directory) && isOfDeadJob(directory, Remains::hasWaves));
  }

  private void remove(final Condition useless) throws IOException {
    for (final Path other : Names.in(own.getParent())) {
      if (Files.isDirectory(other, LinkOption.NOFOLLOW_LINKS)
          && Files.isRegularFile(other.resolve(RuntimeDirectory.LOCK), LinkOption.NOFOLLOW_LINKS)) {
        removeIf(useless, other);
      }
    }
  }

  private static void removeIf(final Condition useless, final Path directory) {
    final Path file = directory.resolve(RuntimeDirectory.LOCK);
    try (NativeFile lock =
        NativeFile.open(file, NativeFile.Flag.WRITE, NativeFile.Flag.NO_FOLLOW)) {
      if (lock.tryLock() && ImageKey.of(lock).isAt(file.toString()) && useless.test(directory)) {
        RuntimeDirectory.delete(directory);
      }
    } catch (final IOException e) {
      Warnings.warn(
          "%s, which an I/O process left that died, stays: %s"
              .formatted(directory, e.getMessage()));
    }
  }

  /** Returns whether an I/O process died at its start. The journal comes just before the socket. */
  private static boolean diedAtStart(final Path directory) throws IOException {
    final Path journal = directory.resolve(RuntimeDirectory.JOURNAL);
    return !Files.exists(journal)
        || !Files.exists(directory.resolve(RuntimeDirectory.SEGMENT), LinkOption.NOFOLLOW_LINKS)
        || !Journal.isOfThisBoot(journal)
        || !Journal.hasEntries(journal)
            && !Files.exists(directory.resolve(RuntimeDirectory.SOCKET));
  }

  /**
   * Returns whether a directory is of a dead {@code sluice run}, which alone would have resumed it.
   */
  private static boolean isOfDeadRun(final Path directory) throws IOException {
    final Matcher name = RUN.matcher(directory.getFileName().toString());
    return name.matches() && ProcessIdentity.of(Integer.parseInt(name.group(1))).isEmpty();
  }

  /**
   * Returns whether a directory is of a dead job and holds nothing needed. Bytes for files of
   * users, and the crash report, are nowhere else.
   */
  private static boolean isOfDeadJob(final Path directory, final Condition store)
      throws IOException {
    final Path crash = directory.resolve(RuntimeDirectory.CRASH);
    final Path segment = directory.resolve(RuntimeDirectory.SEGMENT);
    if (!Files.exists(segment) || Files.exists(crash) && Files.size(crash) > 0) {
      return false;
    }
    try (Segment left = Segment.map(segment)) {
      return left.header().capture().isEmpty()
          && !RuntimeDirectory.isUsed(left)
          && store.test(Path.of(left.header().store()));
    } catch (final SegmentException | FormatVersionException | InvalidPathException unknown) {
      return false;
    }
  }

  private static boolean hasWaves(final Path store) throws IOException {
    return WaveFiles.ofNode(store).areThere();
  }
}
