package org.sluice.iop.shared;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.Loans;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
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

  /** Makes the names of all described files durable, up to the capture directory. */
  public void syncNames() throws IOException {
    for (final String path : directories) {
      try (NativeFile directory = NativeFile.open(path, Flag.DIRECTORY)) {
        directory.syncAll();
      }
    }
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
   * Makes the writes of this node to files durable, and describes the files.
   *
   * @param images the files of the members, in the same order
   * @param drained what is known of their bytes, in the same order
   * @throws IOException when a sync fails, or another file has a name by now
   */
  public List<DraftImage> describe(
      final List<Entry.Part> members, final List<Image> images, final List<DrainedBlocks> drained)
      throws IOException {
    final List<DraftImage> described = new ArrayList<>();
    for (int from = 0; from < images.size(); from += SyncBatch.MOST) {
      final int end = Math.min(from + SyncBatch.MOST, images.size());
      sync(images.subList(from, end));
      for (int i = from; i < end; i++) {
        described.add(describe(members.get(i), images.get(i), drained.get(i)));
      }
    }
    return described;
  }

  /** Lets the kernel write all files before it waits for any: a disk is faster so. */
  private static void sync(final List<Image> images) throws IOException {
    try (Loans loans = new Loans()) {
      for (final Image image : images) {
        loans.borrow(image.held()).startSync();
      }
      SyncBatch.sync(loans.files());
    }
  }

  private DraftImage describe(
      final Entry.Part member, final Image image, final DrainedBlocks drained) throws IOException {
    final String file = FileName.resolve(capture.path(), member.path());
    addDirectories(file);
    final FileStatus status = FileStatus.of(file);
    if (status.identity().device() != image.key().device()
        || status.identity().inode() != image.key().inode()) {
      throw new IOException(
          "%s was replaced while its checkpoint was committed; write the checkpoint anew"
              .formatted(member.path()));
    }
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
