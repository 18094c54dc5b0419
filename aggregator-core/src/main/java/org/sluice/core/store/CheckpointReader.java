package org.sluice.core.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.HugeMemory;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;

/**
 * What a restart sees of a store. What {@link #commits()} lists is complete and durable; nothing
 * else is ever seen by a restart. Thread-safe; several processes may use one store at a time.
 */
public class CheckpointReader {
  final StoreDirectory directory;
  final CommitScan scan;
  final StoreOwner owner;
  private final StoreProfile profile;

  CheckpointReader(final StoreDirectory directory) throws IOException {
    this.directory = directory;
    this.owner = new StoreOwner(directory, NodeIdentity.self(), directory.isShared());
    this.scan = new CommitScan(directory);
    this.profile = new StoreProfile(directory);
  }

  /**
   * How its file system is written to.
   *
   * @return one for all who use this object
   */
  public final StoreProfile profile() {
    return profile;
  }

  /**
   * The node that writes the store.
   *
   * @return empty before one did
   * @throws IOException when that cannot be read
   */
  public final Optional<NodeIdentity> owner() throws IOException {
    return owner.find();
  }

  /**
   * When a process was last seen to use the store: a live I/O process says so every few seconds.
   *
   * @return by the clock of who did
   * @throws IOException when that cannot be found out
   */
  public final Instant lastUsed() throws IOException {
    return directory.lastUsed();
  }

  /**
   * Where it is.
   *
   * @return absolute
   */
  public final Path directory() {
    return directory.path();
  }

  /**
   * Where a session has left files that no checkpoint has.
   *
   * @return the last one's; empty for none
   * @throws IOException when that fails
   */
  public final Optional<LeftAsFiles> leftAsFiles() throws IOException {
    return LeftAsFiles.read(directory);
  }

  /**
   * The committed checkpoints, at most one of each number.
   *
   * @param unreadable told of each that is damaged or of another version
   * @return the others, the one committed first first
   * @throws IOException when they cannot be listed
   */
  public final List<Commit> commits(final Consumer<IOException> unreadable) throws IOException {
    return scan.newest(any -> true, unreadable);
  }

  /**
   * The committed checkpoints, at most one of each number.
   *
   * @return the one committed first first
   * @throws IOException when they cannot be listed, or one is damaged or of another version
   */
  public final List<Commit> commits() throws IOException {
    final List<IOException> failures = new ArrayList<>();
    final List<Commit> commits = commits(failures::add);
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
    return commits;
  }

  /**
   * The numbers of all committed checkpoints, those included that are damaged or of another
   * version.
   *
   * @return in ascending order
   * @throws IOException when they cannot be listed
   */
  public final Set<Long> numbers() throws IOException {
    return scan.numbers();
  }

  /**
   * A committed checkpoint.
   *
   * @param number its number
   * @return empty when there is none of this number
   * @throws IOException when it is damaged or of another version, or when there is none and a
   *     damaged record of a log might be it
   */
  public final Optional<Commit> find(final long number) throws IOException {
    return scan.find(number);
  }

  /**
   * The checkpoint committed last of those that no file joined since; what no group took only if
   * there is no other.
   *
   * @return empty when there is none
   * @throws IOException as {@link #commits()}: what cannot be read might be the newest
   */
  public final Optional<Commit> newest() throws IOException {
    return newest(commits());
  }

  /**
   * The one of some checkpoints that was committed last and that no file joined since; what no
   * group took only if there is no other.
   *
   * @param commits the one committed first first
   * @return empty when there is none
   */
  public static Optional<Commit> newest(final List<Commit> commits) {
    final List<Commit> complete = commits.stream().filter(commit -> !commit.incomplete()).toList();
    return complete.stream()
        .filter(commit -> !commit.ungrouped())
        .reduce((earlier, later) -> later)
        .or(() -> complete.stream().reduce((earlier, later) -> later));
  }

  /**
   * Reads a checkpoint, which nobody removes meanwhile.
   *
   * @param commit one of {@link #commits()}
   * @param reading reads it
   * @return false when the checkpoint has been removed; then nothing was read
   * @throws IOException when that fails, or {@code reading} does
   */
  public boolean whileHeld(final Commit commit, final Step<IOException> reading)
      throws IOException {
    final CheckpointDirectory held = directoryOf(commit);
    return scan.isOnlyLogged(held) ? scan.whileThere(held, reading) : held.whileHeld(reading);
  }

  /**
   * The images of a committed checkpoint.
   *
   * @param commit one of {@link #commits()}
   * @return in no particular order
   * @throws IOException when that fails
   */
  public final List<CommittedImage> images(final Commit commit) throws IOException {
    return scan.images(directoryOf(commit));
  }

  /**
   * The files that a checkpoint has of images, which may be links of the images' own.
   *
   * @param commit one of {@link #commits()}
   * @return in no particular order
   * @throws IOException when that fails
   */
  public final List<FileStatus> imageFiles(final Commit commit) throws IOException {
    return directoryOf(commit).imageFiles();
  }

  /**
   * Whose a checkpoint is: who has the store, and who could have written what it consists of.
   *
   * @param commit one of {@link #commits()}
   * @return users' names by their numbers
   * @throws IOException when that cannot be told
   */
  public final Map<Integer, String> owners(final Commit commit) throws IOException {
    return directory.owners(directoryOf(commit));
  }

  /**
   * Rebuilds one image, see {@link Rebuilder#rebuild}.
   *
   * @param commit the checkpoint it belongs to
   * @param image one of {@link #images(Commit)}
   * @param target an empty file, open for writing; its mode is left alone
   * @throws DamagedException when something it consists of is damaged
   * @throws IOException when that fails; the target then holds anything
   */
  public final void rebuild(
      final Commit commit, final CommittedImage image, final NativeFile target) throws IOException {
    try (Rebuilder rebuilder = rebuilder(commit, false)) {
      rebuilder.rebuild(image, target);
    }
  }

  /**
   * Rebuilds images of a checkpoint.
   *
   * @param commit one of {@link #commits()}
   * @param oneOfSeveral whether other threads do so, too
   * @return for one thread; the caller closes it
   */
  public final Rebuilder rebuilder(final Commit commit, final boolean oneOfSeveral) {
    return new Rebuilder(directory, commit, oneOfSeveral);
  }

  /**
   * Lays what chunks in containers hold of an image over newer chunks. Every byte is verified.
   *
   * @param sessionId the session that wrote the chunks
   * @param chunks in program order
   * @param overlay has taken what is newer
   * @throws IOException when that fails
   */
  public final void overlay(
      final long sessionId, final List<ChunkLocation> chunks, final ImageOverlay overlay)
      throws IOException {
    try (HugeMemory memory = new HugeMemory();
        ContainerReaders containers = new ContainerReaders(directory, sessionId, memory)) {
      containers.overlay(chunks, overlay);
    }
  }

  /**
   * Checks everything a checkpoint consists of.
   *
   * @param commit one of {@link #commits()}
   * @param damage told of everything that is damaged or of another version
   * @param progress told of bytes checked since it was last told
   * @throws IOException when something cannot be read
   */
  public final void verify(
      final Commit commit, final Consumer<IOException> damage, final LongConsumer progress)
      throws IOException {
    try (CheckpointVerifier verifier =
        new CheckpointVerifier(directory, commit, damage, progress)) {
      verifier.verify(images(commit));
    } catch (final DamagedException | FormatVersionException | PosixException e) {
      damage.accept(e);
    }
  }

  final CheckpointDirectory directoryOf(final Commit commit) {
    return directory.checkpoint(commit.number(), commit.id());
  }
}
