package org.sluice.iop.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.directory.StorePlace;
import org.sluice.core.store.disk.WriteMode;

/** What the place of a store offers. Each way is tried as the store would take it. */
final class StoreChecks {
  /** No sector has this length. */
  private static final int ODD = 100;

  private final Section section;
  private final Path store;
  private final long buffer;

  /**
   * Begins.
   *
   * @param store where it is to be
   * @param buffer bytes of a full buffer
   */
  StoreChecks(final Section section, final Path store, final long buffer) {
    this.section = section;
    this.store = store;
    this.buffer = buffer;
  }

  void make() throws IOException {
    final StorePlace place;
    try {
      place = StorePlace.look(store);
    } catch (final IOException e) {
      section.stop("place", e);
      return;
    }
    section.yes(
        "place",
        place.isStore() ? "a store that this node may write" : "a session makes the store there");
    try (NativeFile directory = NativeFile.open(place.directory(), Flag.DIRECTORY)) {
      otherNodes(directory, place);
      new PlaceChecks(section).room(directory, buffer);
      tryOut(directory, place.directory(), place.mode(), "--store");
    }
  }

  /** A stage has stores as on any disk, and is made with all directories above. */
  void makeStage() throws IOException {
    Path there = store.toAbsolutePath().normalize();
    while (!Files.exists(there)) {
      there = there.getParent();
    }
    try (NativeFile directory = NativeFile.open(there, Flag.DIRECTORY)) {
      final String mounted = PlaceChecks.mounted(directory);
      if (directory.isShared()) {
        section.limited(
            "own_disk",
            mounted + " may be mounted by others",
            "a stage there is as slow as that; give --stage a disk of each node");
      } else {
        section.yes("own_disk", mounted + " is this node's alone");
      }
      new PlaceChecks(section).room(directory, buffer);
      tryOut(directory, there, Optional.empty(), "--stage");
    } catch (final PosixException e) {
      section.stop("place", e);
    }
  }

  private void otherNodes(final NativeFile directory, final StorePlace place) throws IOException {
    final String mounted = PlaceChecks.mounted(directory);
    if (directory.isShared()) {
      section.yes(
          "other_nodes",
          mounted
              + " may be mounted by others: "
              + (place.isOfOneNode()
                  ? "all read the store, which stays one of one node; a new one they write together"
                  : "the nodes of a job write one store together, and all read it"));
    } else {
      section.no(
          "other_nodes",
          mounted + " is this node's alone",
          "no other node restores from it, and a lost node takes the store along");
    }
  }

  private void tryOut(
      final NativeFile directory,
      final Path path,
      final Optional<WriteMode> mode,
      final String option)
      throws IOException {
    try (TrialDirectory trial = TrialDirectory.in(path);
        NativeFile file = trial.file("a", Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE)) {
      TrialDirectory.write(file, TrialDirectory.BLOCK, 0);
      file.sync();
      section.yes("writable", "a file can be made, written and synchronised");
      locks(trial, file);
      links(trial, file);
      directWrites(trial, mode);
      nameless(directory);
      final PlaceChecks checks = new PlaceChecks(section);
      checks.holes(file);
      checks.birthTime(file);
    } catch (final PosixException e) {
      section.stop(
          "writable",
          ExitStatus.of(e),
          e.getMessage(),
          "give a %s that you may write".formatted(option));
    }
  }

  /** Sessions of one node lock what they use from each other. */
  private void locks(final TrialDirectory trial, final NativeFile file) throws PosixException {
    try (NativeFile again = trial.file("a", Flag.WRITE)) {
      if (file.tryLock() && !again.tryLock()) {
        section.yes("locks", "flock keeps the sessions of this node apart");
      } else {
        section.stop(
            "locks",
            ExitStatus.FAILED,
            "flock lets two have one lock",
            "two sessions would delete each other's checkpoints; mount the file system with locks");
      }
    } catch (final PosixException e) {
      section.stop(
          "locks",
          ExitStatus.of(e),
          e.getMessage(),
          "mount the file system with locks, such as -o flock");
    }
  }

  private void links(final TrialDirectory trial, final NativeFile file) throws PosixException {
    final Path other = trial.path("b");
    Names.createDirectory(other.toString());
    final int across = TrialDirectory.errno(() -> file.linkTo(other.resolve("a")));
    final int within = TrialDirectory.errno(() -> file.linkTo(trial.path("c")));
    if (within == 0) {
      section.yes("links", "a file can have two names in a directory");
    } else {
      section.no(
          "links",
          "%s: a file has one name".formatted(Errno.describe(within)),
          "a commit copies files, closed ones count as open, and of two sessions that make the store at one moment"
              + " the last one counts");
    }
    if (across == 0) {
      section.yes("links_across", "and in two directories");
    } else {
      section.no(
          "links_across",
          "%s: not in two directories".formatted(Errno.describe(across)),
          "a commit copies files, which takes as long as to write them again");
    }
    conditionalCreate(trial, file, within);
  }

  private void conditionalCreate(
      final TrialDirectory trial, final NativeFile file, final int within) throws PosixException {
    final int again =
        within == 0
            ? TrialDirectory.errno(() -> file.linkTo(trial.path("c")))
            : TrialDirectory.errno(
                () -> trial.file("a", Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE).close());
    if (again != Errno.EEXIST) {
      section.stop(
          "conditional_create",
          ExitStatus.FAILED,
          "a name that is taken is given once more (%s)"
              .formatted(again == 0 ? "no error" : Errno.describe(again)),
          "two sessions would both have the store; take another file system");
    } else if (within == 0) {
      section.yes("conditional_create", "of two that link one name, one gets EEXIST");
    } else {
      section.limited(
          "conditional_create",
          "by O_EXCL only, as there are no links",
          "let one session make the store before others use it");
    }
  }

  /** Of containers and commit logs, which are written in whole blocks. */
  private void directWrites(final TrialDirectory trial, final Optional<WriteMode> mode)
      throws PosixException {
    final String measured = mode.map(each -> "; this store is written to " + each).orElse("");
    try (NativeFile file = trial.file("d", Flag.WRITE, Flag.CREATE, Flag.DIRECT)) {
      TrialDirectory.write(file, TrialDirectory.BLOCK, 0);
      file.sync();
      section.yes(
          "direct_writes",
          "O_DIRECT takes blocks of %d bytes%s".formatted(TrialDirectory.BLOCK, measured));
      unaligned(section, file);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EINVAL);
      section.limited(
          "direct_writes",
          "O_DIRECT is refused" + measured,
          "the drain goes through the page cache, and takes memory from the ranks");
    }
  }

  /** Some accept what they cannot write, and say so only to who synchronises the file. */
  static void unaligned(final Section section, final NativeFile file) {
    final int written =
        TrialDirectory.errno(() -> TrialDirectory.write(file, ODD, TrialDirectory.BLOCK));
    final int synced = TrialDirectory.errno(file::sync);
    if (synced != 0) {
      section.limited(
          "direct_alignment",
          "an unaligned O_DIRECT write is accepted, and the next fsync fails: "
              + Errno.describe(synced),
          "Sluice writes whole blocks; a program that writes there with O_DIRECT itself has to, too");
    } else {
      section.yes(
          "direct_alignment",
          written == 0
              ? "unaligned O_DIRECT writes are taken"
              : "unaligned O_DIRECT writes are refused at once");
    }
  }

  private void nameless(final NativeFile directory) {
    final String path = directory.procPath();
    final int errno =
        TrialDirectory.errno(() -> NativeFile.open(path, Flag.WRITE, Flag.NAMELESS).close());
    if (errno == 0) {
      section.yes("nameless_files", "O_TMPFILE");
    } else {
      section.no(
          "nameless_files",
          "no O_TMPFILE: %s".formatted(Errno.describe(errno)),
          "a process that is killed may leave a file, which the next session deletes");
    }
  }
}
