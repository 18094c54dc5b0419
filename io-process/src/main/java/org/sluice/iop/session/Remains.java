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
 * What I/O processes that died left beside one that starts. Nothing goes on from some of that, and
 * shared memory is dear. The process that goes on with a session, or starts one, has the lock of
 * its directory.
 */
final class Remains {
  private static final Pattern RUN = Pattern.compile("run-(\\d{1,9})");

  private final Path own;

  /** All beside this runtime directory. */
  Remains(final Path own) {
    this.own = own;
  }

  /** About a directory: a runtime directory that nobody needs, or the store of a job. */
  private interface Condition {
    boolean test(Path directory) throws IOException;
  }

  /** Removes what is of I/O processes that died before a process could use them. */
  void removeStarts() throws IOException {
    remove(Remains::diedAtStart);
  }

  /**
   * Removes what is of jobs whose waves are in a store, and of which no process lives: such a job
   * goes on from a wave that is there.
   */
  void removeJobs(final Path store) throws IOException {
    remove(directory -> isOfDeadJob(directory, its -> SeriesDirectory.root(its).equals(store)));
  }

  /** Removes what is of jobs of which no process lives, whose waves are in any store. */
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

  /** Its journal comes just before its socket. */
  private static boolean diedAtStart(final Path directory) throws IOException {
    final Path journal = directory.resolve(RuntimeDirectory.JOURNAL);
    return !Files.exists(journal)
        || !Files.exists(directory.resolve(RuntimeDirectory.SEGMENT), LinkOption.NOFOLLOW_LINKS)
        || !Journal.isOfThisBoot(journal)
        || !Journal.hasEntries(journal)
            && !Files.exists(directory.resolve(RuntimeDirectory.SOCKET));
  }

  /** The I/O process of a {@code sluice run} that is no more, which would have resumed it. */
  private static boolean isOfDeadRun(final Path directory) throws IOException {
    final Matcher name = RUN.matcher(directory.getFileName().toString());
    return name.matches() && ProcessIdentity.of(Integer.parseInt(name.group(1))).isEmpty();
  }

  /** What files of users were to have, and why an I/O process failed, is nowhere else. */
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
