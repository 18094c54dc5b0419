package org.sluice.iop.shared;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.Loans;
import org.sluice.core.posix.SyncBatch;
import org.sluice.core.store.model.ImageAttributes;
import org.sluice.core.store.model.Sharing;
import org.sluice.core.store.node.DraftImage;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.DrainedBlocks;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;

/**
 * The files of a checkpoint that hold their bytes themselves and stay where they are. The files of
 * the files layout are such, and files that other nodes may write, too. A checkpoint names them and
 * describes them once all writes of this node's processes are on stable storage. For a file of
 * several nodes the last node's description counts, as that node sees all writes. Last stage.
 */
public final class FilesInPlace {
  private final CaptureDirectory capture;

  /** The directories that have to be durable before a checkpoint names files in them. */
  private final Set<String> directories = new LinkedHashSet<>();

  public FilesInPlace(final CaptureDirectory capture) {
    this.capture = capture;
  }

  /**
   * Returns whether ranks of other nodes may write a member. Then the member belongs to no rank.
   */
  public static boolean isShared(final Entry.Part member) {
    return member.rank() < 0 && member.ranks() > 0;
  }

  private void addDirectories(final String path) {
    for (int end = path.lastIndexOf('/'); end >= capture.path().length(); ) {
      if (!directories.add(path.substring(0, end))) {
        return;
      }
      end = path.lastIndexOf('/', end - 1);
    }
  }

  /**
   * Makes the writes of this node to files durable, and their names up to the capture directory.
   * Then it describes the files.
   *
   * @param images the files of the members, in the same order
   * @param drained what is known of their bytes, in the same order
   * @throws IOException when a sync fails, or another file has a name by now
   */
  public List<DraftImage> describe(
      final List<Entry.Part> members, final List<Image> images, final List<DrainedBlocks> drained)
      throws IOException {
    for (int i = 0; i < images.size(); i++) {
      status(members.get(i), images.get(i)); // each file has the name that is made durable
      addDirectories(file(members.get(i)));
    }
    sync(images);
    final List<DraftImage> described = new ArrayList<>();
    for (int i = 0; i < images.size(); i++) {
      described.add(describe(members.get(i), images.get(i), drained.get(i)));
    }
    return described;
  }

  /** Synchronises files and directories at once, as many as may be open at a time. */
  private void sync(final List<Image> images) throws IOException {
    final List<FileSource> sources = new ArrayList<>();
    images.forEach(image -> sources.add(image.held()));
    directories.forEach(path -> sources.add(() -> capture.lend(path)));
    for (int from = 0; from < sources.size(); from += SyncBatch.MOST) {
      syncAtOnce(sources.subList(from, Math.min(from + SyncBatch.MOST, sources.size())));
    }
  }

  /** Lets the kernel write all files before it waits for any: a disk is faster so. */
  private static void syncAtOnce(final List<FileSource> sources) throws IOException {
    try (Loans loans = new Loans()) {
      for (final FileSource source : sources) {
        loans.borrow(source).startSync();
      }
      SyncBatch.sync(loans.files());
    }
  }

  private String file(final Entry.Part member) {
    return FileName.resolve(capture.path(), member.path());
  }

  private FileStatus status(final Entry.Part member, final Image image) throws IOException {
    final FileStatus status = FileStatus.of(file(member));
    if (status.identity().device() != image.key().device()
        || status.identity().inode() != image.key().inode()) {
      throw new IOException(
          "%s was replaced while its checkpoint was committed; write the checkpoint anew"
              .formatted(member.path()));
    }
    return status;
  }

  private DraftImage describe(
      final Entry.Part member, final Image image, final DrainedBlocks drained) throws IOException {
    final FileStatus status = status(member, image);
    final String file = file(member);
    return new DraftImage(
            new ImageAttributes(
                member.path(),
                member.rank(),
                member.ranks(),
                status.mode(),
                status.size(),
                image.id()),
            List.of(),
            image.held(),
            true,
            isShared(member) ? Sharing.direct(file, status) : Sharing.inPlace(file, status))
        .knowing(drained.at(status.modified()));
  }
}
