package org.sluice.iop.command;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Set;
import org.sluice.core.posix.Quoting;

/**
 * The search that tells, for a session that captured nothing, where its program may have written
 * instead.
 */
final class EmptyCapture extends SimpleFileVisitor<Path> {
  private static final int DEPTH = 4;
  private static final int MOST = 10_000;

  private final List<Path> others;
  private final FileTime since;
  private int seen;
  private Path written;

  private EmptyCapture(final List<Path> others, final FileTime since) {
    this.others = others;
    this.since = since;
  }

  /**
   * A part of the working directory is searched for a file that is new.
   *
   * @param capture the capture directory, absolute and resolved
   * @param working the command's working directory, absolute and resolved
   * @param others paths that are not looked at, such as the store
   */
  static String line(
      final Path capture, final Path working, final List<Path> others, final FileTime since) {
    final EmptyCapture search = new EmptyCapture(others, since);
    try {
      Files.walkFileTree(working, Set.of(), DEPTH, search);
    } catch (final IOException unreadable) {
      search.written = null; // the line needs no written file
    }
    final String nothing = "no file was created in " + Quoting.name(capture.toString());
    return search.written == null
        ? nothing
        : "%s, while %s was written; name its directory by --capture"
            .formatted(nothing, Quoting.name(working.relativize(search.written).toString()));
  }

  @Override
  public FileVisitResult preVisitDirectory(
      final Path directory, final BasicFileAttributes attributes) {
    return others.contains(directory) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) {
    if (attributes.isRegularFile()
        && attributes.lastModifiedTime().compareTo(since) > 0
        && !others.contains(file)) {
      written = file;
    }
    return written == null && ++seen < MOST ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
  }

  @Override
  public FileVisitResult visitFileFailed(final Path file, final IOException unreadable) {
    return FileVisitResult.CONTINUE;
  }
}
