package org.sluice.core.store.model;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileType;

/**
 * The part of an image in a checkpoint that says where its file is, as others may write it, too.
 *
 * @param kind who they are
 * @param file where the file is, absolute; empty for a private one
 * @param modified when it was last written to, in nanoseconds since 1970; 0 for a private one
 */
public record Sharing(Kind kind, String file, long modified) {
  /** Who writes the file, and where its bytes are. */
  public enum Kind {
    /** One node alone has written it, because the user says so. */
    PRIVATE,
    /** Several nodes wrote it. A checkpoint only names it; it holds its bytes itself. */
    DIRECT,
    /**
     * It holds its bytes itself, and stays where its program put it. A checkpoint has the checksums
     * of them, so it is as good as any as long as nobody changes the file.
     */
    IN_PLACE
  }

  /** Of a file that one node alone writes, as the user says and nothing else. */
  public static final Sharing PRIVATE = new Sharing(Kind.PRIVATE, "", 0);

  private static final long NANOS = 1_000_000_000;

  /**
   * Of a file that holds its bytes itself.
   *
   * @param file where it is, absolute
   * @param status what it is like at this moment
   * @return what a checkpoint says of it
   */
  public static Sharing direct(final String file, final FileStatus status) {
    return new Sharing(Kind.DIRECT, file, modified(status));
  }

  /**
   * Of a file that stays where its program put it.
   *
   * @param file where it is, absolute
   * @param status what it is like at this moment
   * @return what a checkpoint says of it
   */
  public static Sharing inPlace(final String file, final FileStatus status) {
    return new Sharing(Kind.IN_PLACE, file, modified(status));
  }

  /**
   * Whether an image's file is left where its program put it, under checksums.
   *
   * @param sharing what its checkpoint says of it; null for nothing
   * @return false for what the store has, and for what it only names
   */
  public static boolean isInPlace(final Sharing sharing) {
    return sharing != null && sharing.kind == Kind.IN_PLACE;
  }

  /**
   * Whether a file is the one that a checkpoint has in place, as it was then.
   *
   * @param size what the checkpoint says of its size
   * @param now what is there by now
   * @return false when it was written to since
   */
  public boolean isOf(final long size, final FileStatus now) {
    return now.type() == FileType.REGULAR && now.size() == size && modified(now) == modified;
  }

  private static long modified(final FileStatus status) {
    return status.modified().getEpochSecond() * NANOS + status.modified().getNano();
  }

  /**
   * All of some images whose bytes a checkpoint has.
   *
   * @param images images of a checkpoint
   * @return in the same order
   */
  public static List<CommittedImage> held(final List<CommittedImage> images) {
    return images.stream().filter(image -> !image.isDirect()).toList();
  }

  /**
   * All of some images that a checkpoint only names.
   *
   * @param images images of a checkpoint
   * @return in the same order
   */
  public static List<CommittedImage> direct(final List<CommittedImage> images) {
    return images.stream().filter(CommittedImage::isDirect).toList();
  }

  /**
   * Sees that a file is as a checkpoint names it.
   *
   * @param size what the checkpoint says of its size
   * @throws ChangedFileException when it is gone, or was written to since
   * @throws IOException when that cannot be told
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
