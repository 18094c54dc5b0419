package org.sluice.iop.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.directory.StorePlace;
import org.sluice.core.store.disk.WriteMode;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineException;
import org.sluice.core.store.objects.EngineProbe;

/**
 * The checks of the places of a store, a stage and captured files, tried as a session takes them.
 */
final class StoreChecks {
  /** The length of a write that no sector has. */
  private static final int ODD = 100;

  private final Section section;
  private final long buffer;

  /** True once nodes would write a store together. */
  private boolean together;

  /**
   * @param buffer bytes of a full buffer
   */
  StoreChecks(final Section section, final long buffer) {
    this.section = section;
    this.buffer = buffer;
  }

  void make(final Path store) throws IOException {
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
      final String mounted = FileSystemTrial.mounted(directory);
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
      FileSystemTrial.room(section, directory, buffer);
      together = directory.isShared() && !place.isOfOneNode();
      tryOut(directory, place.directory(), place.mode(), "--store");
    }
  }

  /** A stage has stores like any disk, and is made with all directories above. */
  void makeStage(final Path stage) throws IOException {
    Path there = stage.toAbsolutePath().normalize();
    while (!Files.exists(there)) {
      there = there.getParent();
    }
    try (NativeFile directory = NativeFile.open(there, Flag.DIRECTORY)) {
      final String mounted = FileSystemTrial.mounted(directory);
      if (directory.isShared()) {
        section.limited(
            "own_disk",
            mounted + " may be mounted by others",
            "a stage there is as slow as that; give --stage a disk of each node");
      } else {
        section.yes("own_disk", mounted + " is this node's alone");
      }
      FileSystemTrial.room(section, directory, buffer);
      tryOut(directory, there, Optional.empty(), "--stage");
    } catch (final PosixException e) {
      section.stop("place", e);
    }
  }

  /** Tries a capture directory, and links from there into the store as a commit does. */
  void makeCapture(final String capture, final Optional<Path> store) throws IOException {
    final boolean exists = Names.exists(capture);
    final String place = Names.real(exists ? capture : above(capture));
    if (exists
        && store.isPresent()
        && Names.exists(store.get().toString())
        && FileName.isWithin(place, Names.real(store.get().toString()))) {
      section.stop(
          "place",
          ExitStatus.USAGE,
          "it lies in the store, where nothing is captured",
          "name a directory outside");
      return;
    }
    try (NativeFile directory = NativeFile.open(place, Flag.DIRECTORY)) {
      section.yes("place", exists ? "a directory" : "a session makes the directory");
      final String mounted = FileSystemTrial.mounted(directory);
      if (directory.isShared()) {
        section.yes(
            "other_nodes",
            mounted
                + " may be mounted by others: in a job on several nodes only files are logged whose --group has a"
                + " (?<rank>\\d+)");
      } else {
        section.no("other_nodes", mounted + " is this node's alone", "every file can be logged");
      }
      FileSystemTrial.room(section, directory, buffer);
      tryOutCapture(FileName.resolve(place, FileSystemTrial.name()), store);
    }
  }

  private static String above(final String path) {
    final String name = path.replaceAll("/+$", "");
    final int slash = name.lastIndexOf('/');
    return slash < 0 ? "." : slash == 0 ? "/" : name.substring(0, slash);
  }

  /** Makes a file that has a name for a moment only, so that no program opens it. */
  private void tryOutCapture(final String path, final Optional<Path> store) throws IOException {
    try (NativeFile file = NativeFile.open(path, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE)) {
      section.yes("writable", "a file can be made");
      try {
        if (store.isPresent()) {
          storeLinks(
              file, StorePlace.look(store.get()).directory().resolve(FileSystemTrial.name()));
        }
      } catch (final IOException saidOfTheStore) {
        // its own section says so
      } finally {
        Names.delete(path);
      }
      FileSystemTrial.holesAndBirthTime(section, file);
      GuardChecks.make(section, file);
    } catch (final PosixException e) {
      section.stop("writable", e, "give a --capture that you may write");
    }
  }

  private void storeLinks(final NativeFile file, final Path link) throws PosixException {
    final int errno = FileSystemTrial.errno(() -> file.linkTo(link));
    Names.delete(link.toString());
    if (errno == 0) {
      section.yes("store_links", "a commit links files into the store");
    } else {
      section.limited(
          "store_links",
          "no link into the store: " + Errno.describe(errno),
          "a commit copies files, and closed ones count as open; put store and capture directory below one mount");
    }
  }

  /** Tries out a file system in a hidden directory, which is removed with all its files. */
  private void tryOut(
      final NativeFile directory,
      final Path path,
      final Optional<WriteMode> mode,
      final String option)
      throws IOException {
    final Path trial = path.resolve(FileSystemTrial.name());
    try {
      Names.createDirectory(trial.toString());
      final Path name = trial.resolve("a");
      try (NativeFile file = NativeFile.open(name, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE)) {
        FileSystemTrial.write(file, FileSystemTrial.BLOCK, 0);
        file.sync();
        section.yes("writable", "a file can be made, written and synchronised");
        locks(name, file);
        links(trial, file);
        directWrites(trial.resolve("d"), mode);
        nameless(directory.procPath());
        FileSystemTrial.holesAndBirthTime(section, file);
      }
    } catch (final PosixException e) {
      section.stop("writable", e, "give a %s that you may write".formatted(option));
    } finally {
      for (final Path made : Names.deepestFirst(trial)) {
        Files.deleteIfExists(made);
      }
    }
  }

  /** Locks a file twice, as sessions of one node lock their files from each other. */
  private void locks(final Path name, final NativeFile file) {
    try (NativeFile again = NativeFile.open(name, Flag.WRITE)) {
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
      section.stop("locks", e, "mount the file system with locks, such as -o flock");
    }
  }

  private void links(final Path trial, final NativeFile file) throws IOException {
    final Path other = trial.resolve("b");
    Names.createDirectory(other.toString());
    final int across = FileSystemTrial.errno(() -> file.linkTo(other.resolve("a")));
    final int within = FileSystemTrial.errno(() -> file.linkTo(trial.resolve("c")));
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
    conditionalCreate(trial, within == 0);
  }

  /** Makes an object of a name twice, as the opening of a store that nodes share does. */
  private void conditionalCreate(final Path trial, final boolean links) throws IOException {
    if (!links && !together) {
      section.limited(
          "conditional_create",
          "by rename only, as there are no links: the last of two that make a store counts",
          "let one session make the store before others use it");
      return;
    }
    try (Engine engine = DirectoryEngine.of(trial)) {
      EngineProbe.conditionalCreate(engine);
      section.yes("conditional_create", "of two that link one name, one gets EEXIST");
    } catch (final EngineException unfit) {
      section.stop("conditional_create", unfit);
    }
  }

  /** Writes past the page cache, as containers and commit logs are written, in whole blocks. */
  private void directWrites(final Path name, final Optional<WriteMode> mode) throws PosixException {
    final String measured = mode.map(each -> "; this store is written to " + each).orElse("");
    try (NativeFile file = NativeFile.open(name, Flag.WRITE, Flag.CREATE, Flag.DIRECT)) {
      FileSystemTrial.write(file, FileSystemTrial.BLOCK, 0);
      file.sync();
      section.yes(
          "direct_writes",
          "O_DIRECT takes blocks of %d bytes%s".formatted(FileSystemTrial.BLOCK, measured));
      unaligned(section, file);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EINVAL);
      section.limited(
          "direct_writes",
          "O_DIRECT is refused" + measured,
          "the drain goes through the page cache, and takes memory from the ranks");
    }
  }

  /** Some file systems accept it and cannot write it, which only the next fsync says. */
  static void unaligned(final Section section, final NativeFile file) {
    final int written =
        FileSystemTrial.errno(() -> FileSystemTrial.write(file, ODD, FileSystemTrial.BLOCK));
    final int synced = FileSystemTrial.errno(file::sync);
    if (synced != 0) {
      section.limited(
          "direct_alignment",
          "an unaligned O_DIRECT write is accepted, and the next fsync fails: "
              + Errno.describe(synced),
          "Sluice writes whole blocks; a program that writes there with O_DIRECT itself has to, too");
    } else {
      section.yes(
          "direct_alignment",
          "unaligned O_DIRECT writes are " + (written == 0 ? "taken" : "refused at once"));
    }
  }

  private void nameless(final String directory) {
    final int errno =
        FileSystemTrial.errno(() -> NativeFile.open(directory, Flag.WRITE, Flag.NAMELESS).close());
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
