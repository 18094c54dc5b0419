package org.sluice.iop.outside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileTree;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.directory.SeriesFormat;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.wave.WaveFiles;

/**
 * A durable mark in the store that a session gives closed files their lengths before their bytes. A
 * session that finds the mark of another one that never ended looks which files still read as
 * zeros. After a power cut nothing else knows of them. The mark is locked while its session's I/O
 * process lives. Not thread-safe.
 */
final class LengthMark implements AutoCloseable {
  private static final int MOST = 8192;
  private static final Pattern TEXT = Pattern.compile("(\\S+) (/.*)\n", Pattern.DOTALL);
  private static final String DRAFT = ".";

  private final Path path;
  private final NativeFile file;

  private LengthMark(final Path path, final NativeFile file) {
    this.path = path;
    this.file = file;
  }

  /**
   * Marks a session that begins, or goes on, once it has reported other sessions that never ended.
   *
   * @throws IOException when that fails; no file may be longer than its bytes then
   */
  static LengthMark of(final CheckpointStorage storage, final CaptureDirectory capture)
      throws IOException {
    final Path folder = WaveFiles.ofNode(storage.store().directory()).folder().resolve("lengths");
    final String name = "%016x".formatted(storage.sessionId());
    SeriesFormat.createFolder(folder);
    for (final Path other : Names.in(folder)) {
      if (!other.endsWith(name) && !other.getFileName().toString().startsWith(DRAFT)) {
        look(other, storage);
      }
    }
    return new LengthMark(folder.resolve(name), made(folder, name, capture));
  }

  /** Makes the mark, which is locked before it has its name. */
  private static NativeFile made(
      final Path folder, final String name, final CaptureDirectory capture) throws IOException {
    final Path draft = folder.resolve(DRAFT + name);
    final String text = "%s %s%n".formatted(NodeIdentity.self().name(), capture.path());
    Files.write(draft, SealedText.encode(text));
    final NativeFile file = NativeFile.open(draft, Flag.WRITE);
    try (NativeFile directory = NativeFile.open(folder, Flag.DIRECTORY)) {
      file.lock();
      file.syncAll();
      Files.move(draft, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
      directory.sync();
      return file;
    } catch (final IOException e) {
      file.close();
      throw e;
    }
  }

  private static void look(final Path other, final CheckpointStorage storage) throws IOException {
    try (NativeFile mark = NativeFile.open(other, Flag.NO_FOLLOW, Flag.NO_WAIT)) {
      if (mark.tryLock() && isTold(other, storage)) {
        Files.delete(other);
      }
    } catch (final PosixException gone) {
      return; // its session has ended meanwhile
    }
  }

  /**
   * Reports a session that never ended. Returns false for one of another node, whose lock may not
   * be seen here.
   */
  private static boolean isTold(final Path other, final CheckpointStorage storage)
      throws IOException {
    try {
      final Matcher text = TEXT.matcher(SealedText.read(other, MOST));
      final boolean isOwn = text.matches() && text.group(1).equals(NodeIdentity.self().name());
      if (isOwn) {
        new Zeros(SeriesDirectory.root(storage.store().directory())).tell(text.group(2));
      }
      return isOwn;
    } catch (final DamagedException e) {
      Warnings.warn(
          "%s; it is deleted: files that its session closed may read as zeros"
              .formatted(e.getMessage()));
      return true;
    }
  }

  /** The files of a directory that are longer than their bytes. */
  private static final class Zeros {
    private final Path store;
    private String first;
    private long count;

    Zeros(final Path store) {
      this.store = store;
    }

    void tell(final String captured) throws IOException {
      try {
        FileTree.walk(
            captured,
            below -> !below.equals(store.toString()),
            (path, device, inode) -> look(path));
      } catch (final PosixException gone) {
        return;
      }
      if (count > 0) {
        Warnings.warn(
            "%d closed files in %s, the first %s, read as zeros in part or as a whole: a session was killed or lost its power before their bytes were in them. sluice restore gives what is committed; the others are to be written anew"
                .formatted(count, Quoting.name(captured), Quoting.name(first)));
      }
    }

    private void look(final String path) {
      try {
        final FileStatus status = FileStatus.of(path);
        if (status.allocated() < status.size() && hasHoles(path, status.size())) {
          first = count++ == 0 || path.compareTo(first) < 0 ? path : first;
        }
      } catch (final IOException gone) {
        return; // or the path is longer than a path can be
      }
    }

    private static boolean hasHoles(final String path, final long size) throws IOException {
      try (NativeFile file = NativeFile.open(path, Flag.NO_FOLLOW, Flag.NO_WAIT)) {
        return file.dataExtents().stream().mapToLong(Extent::length).sum() < size;
      }
    }
  }

  /** Deletes the mark: the session has ended, and its files have all their bytes. */
  void delete() {
    try {
      Files.deleteIfExists(path);
    } catch (final IOException e) {
      Warnings.warn("the next session may look for files without bytes: " + e.getMessage());
    }
  }

  @Override
  public void close() throws PosixException {
    file.close();
  }
}
