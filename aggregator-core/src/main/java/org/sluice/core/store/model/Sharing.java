package org.sluice.core.store.model;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileType;

/**
 * The place of an image's file in a checkpoint, where others may write it, too.
 *
 * @param kind writers of the file, and place of its bytes
 * @param file path of the file, absolute; empty for a private one
 * @param modified time of the last write, in nanoseconds since 1970; 0 for a private one
 */
public record Sharing(Kind kind, String file, long modified) {
  /** The writers of a file, and the place of its bytes. */
  public enum Kind {
    /** The user says that one node alone has written the file. */
    PRIVATE,
    /**
     * Several nodes wrote the file. A checkpoint only names it; the file holds its bytes itself.
     */
    DIRECT,
    /**
     * The file holds its bytes itself, and stays where its program put it. A checkpoint has their
     * checksums, so it is as good as any while nobody changes the file.
     */
    IN_PLACE
  }

  /** The sharing of a file that one node alone writes, by the word of the user. */
  public static final Sharing PRIVATE = new Sharing(Kind.PRIVATE, "", 0);

  private static final long NANOS = 1_000_000_000;

  /** Returns the sharing of a file that holds its bytes itself. */
  public static Sharing direct(final String file, final FileStatus status) {
    return new Sharing(Kind.DIRECT, file, modified(status));
  }

  /** Returns the sharing of a file that stays where its program put it. */
  public static Sharing inPlace(final String file, final FileStatus status) {
    return new Sharing(Kind.IN_PLACE, file, modified(status));
  }

  /**
   * Returns whether an image's file is left where its program put it, under checksums.
   *
   * @param sharing sharing in its checkpoint; null for none
   * @return false for an image that the store has, and for one that it only names
   */
  public static boolean isInPlace(final Sharing sharing) {
    return sharing != null && sharing.kind == Kind.IN_PLACE;
  }

  /**
   * Returns whether a file is the one that a checkpoint has in place, as it was then; false when
   * the file was written to since.
   */
  public boolean isOf(final long size, final FileStatus now) {
    return now.type() == FileType.REGULAR && now.size() == size && modified(now) == modified;
  }

  private static long modified(final FileStatus status) {
    return status.modified().getEpochSecond() * NANOS + status.modified().getNano();
  }

  /** Returns those images whose bytes a checkpoint has. */
  public static List<CommittedImage> held(final List<CommittedImage> images) {
    return images.stream().filter(image -> !image.isDirect()).toList();
  }

  /** Returns those images that a checkpoint only names. */
  public static List<CommittedImage> direct(final List<CommittedImage> images) {
    return images.stream().filter(CommittedImage::isDirect).toList();
  }

  /**
   * @throws ChangedFileException when the file is gone, or was written to since
   */
  public void check(final long size) throws IOException {
    final Optional<String> change = change(size);
    if (change.isPresent()) {
      throw new ChangedFileException(file, change.get());
    }
  }

  private Optional<String> change(final long size) throws IOException {
    final FileStatus now;
    try {
      now = FileStatus.behind(file);
    } catch (final PosixException e) {
      if (e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR) {
        return Optional.of("it is not there any more");
      }
      throw e;
    }
    if (now.type() != FileType.REGULAR) {
      return Optional.of("it is no file any more");
    }
    if (now.size() != size) {
      return Optional.of("it has %d bytes, and had %d".formatted(now.size(), size));
    }
    return modified(now) == modified ? Optional.empty() : Optional.of("it was written to since");
  }
}
