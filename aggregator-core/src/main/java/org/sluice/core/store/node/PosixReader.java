package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.process.HugeMemory;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.JobClaim;
import org.sluice.core.store.directory.LeftAsFiles;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.directory.StoreOwner;
import org.sluice.core.store.directory.StoreProfile;
import org.sluice.core.store.directory.StoredGrouping;
import org.sluice.core.store.format.SealedJson;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.log.CommitScan;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;

/** The view that a restart has of a store of one node. */
public class PosixReader implements CheckpointReader {
  /** The file that tells how far copies are, in a node's own store on a stage. */
  public static final String COPIES = "copies";

  /** Says that no process uses a node's own store any more. */
  public static final String ENDED = "ended";

  public static final String WAVES = "mpi.log";

  private static final int MOST = 1 << 20;

  final StoreDirectory directory;
  final CommitScan scan;
  final StoreOwner owner;
  private final StoreProfile profile;

  PosixReader(final StoreDirectory directory) throws IOException {
    this.directory = directory;
    this.owner = new StoreOwner(directory, NodeIdentity.self(), directory.isShared());
    this.scan = new CommitScan(directory);
    this.profile = new StoreProfile(directory);
  }

  /** Returns the profile by which its file system is written to. */
  public final StoreProfile profile() {
    return profile;
  }

  /** Returns the store's memory of which files of a program are one checkpoint. */
  public final StoredGrouping grouping() {
    return new StoredGrouping(directory);
  }

  /** Keeps it for one job. */
  public final JobClaim job() throws IOException {
    return JobClaim.of(directory);
  }

  /**
   * Returns when a process was last seen to use the store, by its own clock: a live I/O process
   * says so every few seconds.
   */
  public final Instant lastUsed() throws IOException {
    return directory.lastUsed();
  }

  /** Returns the absolute directory of the store. */
  public final Path directory() {
    return directory.path();
  }

  @Override
  public final String store() {
    return directory.path().toString();
  }

  @Override
  public final Optional<LeftAsFiles> leftAsFiles() throws IOException {
    return LeftAsFiles.read(directory);
  }

  @Override
  public final List<Commit> commits(final Consumer<IOException> unreadable) throws IOException {
    return scan.newest(any -> true, unreadable);
  }

  /** Returns a commit as it is known by now: the same, unless a file has joined it since. */
  public final Commit marked(final Commit commit) {
    return directoryOf(commit).isIncomplete() ? commit.markedIncomplete() : commit;
  }

  @Override
  public final List<IOException> doubts(final Commit newest) throws IOException {
    return scan.doubts(newest);
  }

  @Override
  public final Set<Long> numbers() throws IOException {
    return scan.numbers();
  }

  @Override
  public final Optional<Commit> find(final long number) throws IOException {
    return scan.find(number);
  }

  @Override
  public boolean whileHeld(final Commit commit, final Step<IOException> reading)
      throws IOException {
    final CheckpointDirectory held = directoryOf(commit);
    return scan.isOnlyLogged(held) ? scan.whileThere(held, reading) : held.whileHeld(reading);
  }

  @Override
  public final void verifyStore(final Consumer<IOException> damage) throws IOException {
    verifyPart(damage);
    SealedJson.damageOf(directory().resolve(WAVES)).forEach(damage);
    lost().forEach(damage);
  }

  /** The same of a node's part of a series, which needs no manifest there. */
  public final void verifyPart(final Consumer<IOException> damage) throws IOException {
    for (final Step<IOException> look :
        List.<Step<IOException>>of(
            owner::find,
            () -> LeftAsFiles.verify(directory),
            () -> SealedText.read(directory().resolve(COPIES), MOST),
            () -> readEnded(directory().resolve(ENDED)))) {
      try {
        look.run();
      } catch (final DamagedException e) {
        if (Files.exists(Path.of(e.file()), LinkOption.NOFOLLOW_LINKS)) {
          damage.accept(e);
        } // else a later run has collected it meanwhile
      }
    }
  }

  /** An older Sluice left an empty one. */
  private static void readEnded(final Path ended) throws IOException {
    if (Files.exists(ended, LinkOption.NOFOLLOW_LINKS) && Files.size(ended) > 0) {
      SealedText.read(ended, MOST);
    }
  }

  @Override
  public final List<DamagedException> lost() throws IOException {
    return scan.lost();
  }

  @Override
  public final List<CommittedImage> images(final Commit commit) throws IOException {
    return scan.images(directoryOf(commit));
  }

  /**
   * Returns the files that a checkpoint has of images, in no particular order; they may be links of
   * the images' own.
   */
  public final List<FileStatus> imageFiles(final Commit commit) throws IOException {
    return directoryOf(commit).imageFiles();
  }

  @Override
  public final Map<Integer, String> owners(final Commit commit) throws IOException {
    return directory.owners(directoryOf(commit));
  }

  /**
   * Rebuilds one image, see {@link Rebuilder#rebuild}.
   *
   * @param target an empty file, open for writing; its mode is left alone
   */
  public final void rebuild(
      final Commit commit, final CommittedImage image, final NativeFile target) throws IOException {
    try (Rebuilder rebuilder = rebuilder(commit, false)) {
      rebuilder.rebuild(image, target);
    }
  }

  @Override
  public final Rebuilder rebuilder(final Commit commit, final boolean oneOfSeveral) {
    return new PosixRebuilder(directory, commit, oneOfSeveral);
  }

  /** Lays what chunks in containers hold of an image over newer chunks. Every byte is verified. */
  public final void overlay(
      final long sessionId, final List<ChunkLocation> chunks, final ImageOverlay overlay)
      throws IOException {
    try (HugeMemory memory = new HugeMemory();
        ContainerReaders containers = new ContainerReaders(directory, sessionId, memory)) {
      containers.overlay(chunks, overlay);
    }
  }

  @Override
  public final void verify(
      final Commit commit, final Consumer<IOException> damage, final LongConsumer progress)
      throws IOException {
    try {
      verify(commit, images(commit), damage, progress);
    } catch (final DamagedException | FormatVersionException | PosixException e) {
      damage.accept(e);
    }
  }

  @Override
  public void close() throws IOException {}

  /**
   * The same of a commit whose images are known.
   *
   * @param damage told of everything that is damaged or of another version
   * @param progress told of bytes checked since it was last told
   */
  public final void verify(
      final Commit commit,
      final List<CommittedImage> images,
      final Consumer<IOException> damage,
      final LongConsumer progress)
      throws IOException {
    new CheckpointVerifier(directory, commit, progress).verify(images, damage);
  }

  final CheckpointDirectory directoryOf(final Commit commit) {
    return directory.checkpoint(commit.number(), commit.id());
  }
}
