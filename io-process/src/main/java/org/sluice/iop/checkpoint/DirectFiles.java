package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.List;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.DraftImage;
import org.sluice.core.store.Sharing;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;

/**
 * Files of a checkpoint that other nodes may write, too. They hold their bytes themselves, so a
 * part only names them: with what they are like once all that this node's processes wrote is on
 * stable storage. What the last node says counts, as it sees what all have written. Last stage.
 */
final class DirectFiles {
  private DirectFiles() {}

  /**
   * Makes durable what this node wrote to a file, and says what it is like.
   *
   * @param capture where the file is
   * @param member the file as the checkpoint names it
   * @param image the same file
   * @throws IOException when that fails, or another file has its name by now
   */
  static DraftImage describe(
      final CaptureDirectory capture, final Entry.Part member, final Image image)
      throws IOException {
    final String file = FileName.resolve(capture.path(), member.path());
    try (FileSource.Loan loan = image.held().lend()) {
      loan.file().sync();
    }
    try (NativeFile directory = NativeFile.open(FileName.sibling(file, ""), Flag.DIRECTORY)) {
      directory.syncAll();
    }
    final FileStatus status = FileStatus.of(file);
    if (status.device() != image.key().device() || status.inode() != image.key().inode()) {
      throw new IOException(
          "%s was replaced while its checkpoint was committed; write the checkpoint anew"
              .formatted(member.path()));
    }
    return new DraftImage(
        member.path(),
        member.rank(),
        member.ranks(),
        status.mode(),
        status.size(),
        image.id(),
        List.of(),
        image.held(),
        true,
        Sharing.direct(file, status));
  }
}
