package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.Loans;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.Speaker;
import org.sluice.core.posix.SyncBatch;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.format.ImagePath;
import org.sluice.core.store.format.IndexCodec;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommitContent;
import org.sluice.core.store.model.CommitIdentity;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Sharing;

/**
 * Writes what one checkpoint has beside containers, which are on stable storage, and the record
 * that commits it. Images' own files are durable before that, so a record never names what a power
 * cut can take. They alone need a directory before the record.
 */
final class CommitWriter implements AutoCloseable {
  private final StoreDirectory store;
  private final Draft draft;
  private final CheckpointDirectory directory;

  /**
   * The file that becomes the manifest, locked until it is committed; null while there is no
   * directory.
   */
  private NativeFile manifest;

  CommitWriter(final StoreDirectory store, final Draft draft) throws IOException {
    this.store = store;
    this.draft = draft;
    this.directory = store.checkpoint(draft.number(), Entropy.nextLong());
    check(draft);
  }

  CheckpointDirectory directory() {
    return directory;
  }

  /** Returns whether an image has bytes in a file of its own, which goes into the directory. */
  boolean hasOwnFiles() throws IOException {
    for (final DraftImage image : draft.images()) {
      if (hasOwnFile(image)) {
        return true;
      }
    }
    return false;
  }

  private boolean hasOwnFile(final DraftImage image) throws IOException {
    if (image.isDirect() || Sharing.isInPlace(image.sharing())) {
      return false;
    }
    if (holders(image).stream().anyMatch(held -> !held.holder().blocks().isEmpty())) {
      return true;
    }
    try (FileSource.Loan loan = image.file().lend()) {
      return ImageFile.hasData(loan.file(), image.attributes().size());
    }
  }

  private List<IncrementalSource.Held> holders(final DraftImage image) {
    final IncrementalSource base = image.base();
    return base == null
        ? List.of()
        : base.holders(store.checkpoint(base.commit().number(), base.commit().id()));
  }

  boolean hasDirectory() {
    return manifest != null;
  }

  /** Makes its directory, which is nobody's garbage from here on; under the store's lock. */
  void begin() throws IOException {
    store.disk().createDirectory(directory.path());
    manifest = store.disk().open(directory.draft(), Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE);
    manifest.lock();
  }

  /** Makes durable what the images have in files of their own, and says what they consist of. */
  List<CommittedImage> images() throws IOException {
    if (!hasDirectory()) {
      return storeImages();
    }
    store.disk().createDirectory(directory.images());
    final List<CommittedImage> images = storeImages();
    store.disk().syncDirectory(directory.images(), FaultPoint.DIRECTORY_FSYNC);
    syncNames();
    return images;
  }

  private void syncNames() throws IOException {
    store.disk().syncDirectory(directory.path(), FaultPoint.DIRECTORY_FSYNC);
    store.disk().syncDirectory(store.checkpoints(), FaultPoint.DIRECTORY_FSYNC);
  }

  Commit commit(final List<CommittedImage> images, final long sequence, final List<Long> before) {
    return new Commit(
        new CommitIdentity(
            draft.number(),
            directory.commitId(),
            draft.name().isEmpty() ? List.of() : List.of(draft.name()),
            sequence,
            Instant.now().truncatedTo(ChronoUnit.MILLIS),
            before),
        draft.source(),
        draft.coverage(),
        draft.layout(),
        Optional.of(draft.completion()),
        false,
        CommitContent.of(
            images,
            images.stream()
                .flatMap(IndexCodec::allChunks)
                .map(ChunkLocation::container)
                .distinct()
                .toList()));
  }

  byte[] index(final List<CommittedImage> images) {
    return IndexCodec.encode(directory.commitId(), images);
  }

  /** Makes the index durable as a file in the directory. */
  void writeIndex(final byte[] index) throws IOException {
    try (NativeFile file =
        store.disk().open(directory.index(), Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE)) {
      Disk.fill(file, index);
    }
    syncNames();
  }

  /**
   * Gives the directory up: it is committed, or another process may delete it. The draft has no
   * bytes, so an error of its close loses nothing. A commit that is durable must not fail by it.
   */
  @Override
  public void close() {
    if (hasDirectory()) {
      try {
        manifest.close();
      } catch (final IOException e) {
        Speaker.say(
            "the draft of a manifest is closed, though its file system says: " + e.getMessage());
      }
    }
  }

  /** The containers that a draft's own chunks are in; those of earlier ones are durable. */
  static List<Long> containers(final Draft draft) {
    return draft.images().stream()
        .flatMap(image -> image.chunks().stream())
        .map(ChunkLocation::container)
        .distinct()
        .toList();
  }

  private List<CommittedImage> storeImages() throws IOException {
    final List<DraftImage> drafts = draft.images();
    final List<CommittedImage> images = new ArrayList<>();
    try (ImageFile files = new ImageFile(store.disk())) {
      for (int from = 0; from < drafts.size(); from += SyncBatch.MOST) {
        storeImages(
            files, drafts.subList(from, Math.min(from + SyncBatch.MOST, drafts.size())), images);
      }
    }
    return images;
  }

  /**
   * Stores some images. A file system gives bytes their blocks as it writes them: begun one by one,
   * each file would cost it a transaction of its own. Checksums are taken while the disk writes.
   * Nobody reads a checkpoint before a restart, and the next one needs the memory.
   */
  private void storeImages(
      final ImageFile files, final List<DraftImage> drafts, final List<CommittedImage> images)
      throws IOException {
    try (Loans loans = new Loans()) {
      startSyncs(drafts, loans);
      for (final DraftImage image : drafts) {
        final int ordinal = images.size();
        final List<Block> blocks = store(files, image, directory.image(ordinal));
        final List<IncrementalSource.Held> holders = holders(image);
        images.add(committed(ordinal, image, blocks, holders));
        share(files, ordinal, holders);
      }
      store.disk().sync(loans.files());
      loans.files().forEach(NativeFile::forget);
    }
  }

  private void startSyncs(final List<DraftImage> drafts, final Loans loans) throws IOException {
    for (final DraftImage image : drafts) {
      if (!isLogged(image) && hasOwnFile(image)) {
        loans.borrow(image.file()).startSync();
      }
    }
  }

  /** Returns whether containers have all of an image, or it is no part of the checkpoint. */
  private boolean isLogged(final DraftImage image) {
    return image.isDirect() || !Sharing.isInPlace(image.sharing()) && !hasDirectory();
  }

  private void share(
      final ImageFile files, final int ordinal, final List<IncrementalSource.Held> holders)
      throws IOException {
    for (int i = 0; i < holders.size(); i++) {
      final IncrementalSource.Held held = holders.get(i);
      files.share(held.file(), held.holder().blocks(), directory.image(ordinal, i));
    }
  }

  private static CommittedImage committed(
      final int ordinal,
      final DraftImage image,
      final List<Block> blocks,
      final List<IncrementalSource.Held> holders) {
    return new CommittedImage(
        ordinal,
        image.attributes(),
        image.chunks(),
        blocks,
        image.sharing(),
        holders.stream().map(IncrementalSource.Held::holder).toList());
  }

  private List<Block> store(final ImageFile files, final DraftImage image, final Path target)
      throws IOException {
    if (isLogged(image)) {
      return List.of();
    }
    try (FileSource.Loan loan = image.file().lend()) {
      return Sharing.isInPlace(image.sharing())
          ? files.checksum(loan.file(), image)
          : files.store(loan.file(), image, target);
    }
  }

  private static void check(final Draft draft) throws IOException {
    final Set<String> names = new HashSet<>();
    for (final DraftImage image : draft.images()) {
      if (!ImagePath.isValid(image.attributes().path())) {
        throw new PosixException("store the name " + image.attributes().path(), Errno.ENAMETOOLONG);
      }
      if (!names.add(image.attributes().rank() + "/" + image.attributes().path())) {
        throw new IOException("two images of one rank: " + image.attributes().path());
      }
    }
    if (draft.number() < 0) {
      throw new IOException("no number of a checkpoint: " + draft.number());
    }
  }
}
