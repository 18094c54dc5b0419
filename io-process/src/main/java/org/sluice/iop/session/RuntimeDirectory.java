package org.sluice.iop.session;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.Speaker;
import org.sluice.core.request.RuntimePath;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.SegmentException;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.memory.SegmentPlace;
import org.sluice.iop.service.ResumeScript;

/**
 * The directory where clients find an I/O process: its segment, socket and journal, and the lock
 * that it holds while it lives.
 */
public final class RuntimeDirectory implements AutoCloseable {
  /** The most bytes of a socket's address, without the NUL. */
  private static final int MAX_SOCKET_PATH = 107;

  static final String LOCK = "lock";
  static final String SEGMENT = "segment";
  static final String CRASH = "crash";
  static final String JOURNAL = "journal";
  static final String SOCKET = "socket";
  private static final String TRIAL = "trial";

  private static final Set<PosixFilePermission> PRIVATE =
      Set.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  /** The number of crash reports of a name that are kept, the newest. */
  private static final int MOST_REPORTS = 4;

  private final Path path;
  private final NativeFile lock;
  private final Optional<Path> report;

  /** The files of a killed I/O process stay until the session knows whether to resume them. */
  private volatile boolean preserved;

  /** A hook for a signal that ends the JVM before there is a session. */
  private final Thread atExit = new Thread(this::removeAtExit, "remove-runtime-directory");

  private RuntimeDirectory(final Path path, final NativeFile lock) throws IOException {
    this.path = path;
    this.lock = lock;
    this.report = keepReport();
    this.preserved = Files.exists(journal());
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * @throws CommandException when another I/O process has the directory, or it cannot be used
   */
  public static RuntimeDirectory take(final String name) throws IOException {
    final Path base = RuntimePath.base();
    final Path path = base.resolve(name);
    check(name, path);
    createPrivate(base);
    refuseShared(base);
    while (true) {
      createPrivate(path);
      final NativeFile lock;
      try {
        lock = NativeFile.open(path.resolve(LOCK), NativeFile.Flag.WRITE, NativeFile.Flag.CREATE);
      } catch (final PosixException e) {
        if (e.errno() == Errno.ENOENT) {
          continue; // the owner of the directory has just removed it
        }
        throw e;
      }
      if (!lock.tryLock()) {
        lock.close();
        throw new CommandException(
            ExitStatus.BUSY,
            "another I/O process is called %s: %s; stop it or choose another --name"
                .formatted(name, path));
      }
      if (ImageKey.of(lock).isAt(path.resolve(LOCK).toString())) {
        return new RuntimeDirectory(path, lock);
      }
      lock.close();
    }
  }

  Remains others() {
    return new Remains(path);
  }

  private static void check(final String name, final Path path) {
    if (!RuntimePath.isName(name)) {
      throw new CommandException(
          ExitStatus.USAGE, "'%s' is no name; use letters and digits".formatted(name));
    }
    final int length = path.resolve(SOCKET).toString().getBytes(StandardCharsets.UTF_8).length;
    if (length > MAX_SOCKET_PATH) {
      throw new CommandException(
          ExitStatus.USAGE,
          "the socket's path has %d bytes, %d are possible: %s; choose a shorter --name or %s"
              .formatted(length, MAX_SOCKET_PATH, path.resolve(SOCKET), RuntimePath.BASE_VARIABLE));
    }
  }

  /**
   * Refuses a directory that other nodes may use. Another node could resume this session as that of
   * a killed I/O process of its own.
   */
  private static void refuseShared(final Path base) throws IOException {
    try (NativeFile directory = NativeFile.open(base, NativeFile.Flag.DIRECTORY)) {
      if (directory.isShared()) {
        throw new CommandException(
            ExitStatus.DENIED,
            "%s lies on a file system that other nodes may use; set %s to a directory of this node's"
                .formatted(base, RuntimePath.BASE_VARIABLE));
      }
    }
  }

  private static void createPrivate(final Path directory) throws IOException {
    final FileAttribute<?> mode = PosixFilePermissions.asFileAttribute(PRIVATE);
    try {
      Files.createDirectory(directory, mode);
    } catch (final FileAlreadyExistsException there) {
      final boolean own =
          Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
              && Files.getOwner(directory).equals(Files.getOwner(Path.of("/proc/self")))
              && Files.getPosixFilePermissions(directory).equals(PRIVATE);
      if (!own) {
        throw new CommandException(
            ExitStatus.DENIED,
            "%s is not a directory of yours with mode 0700; remove it or set %s"
                .formatted(directory, RuntimePath.BASE_VARIABLE));
      }
    } catch (final FileSystemException e) {
      final String reason = e.getReason() == null ? "permission denied" : e.getReason();
      throw new CommandException(
          reason.contains("space") ? ExitStatus.NO_ROOM : ExitStatus.DENIED,
          "cannot create %s: %s; set %s to a directory of this node where you may write"
              .formatted(directory, reason, RuntimePath.BASE_VARIABLE));
    }
  }

  public Path path() {
    return path;
  }

  Path segment() {
    return path.resolve(SEGMENT);
  }

  Path journal() {
    return path.resolve(JOURNAL);
  }

  /** Returns a directory, not yet made, for files that try out the node. */
  public Path trial() {
    return path.resolve(TRIAL);
  }

  Path crash() {
    return path.resolve(CRASH);
  }

  /** Returns the crash report of the last I/O process of this name; empty when it did not fail. */
  Optional<Path> report() {
    return report;
  }

  /** Moves the crash report to a place where it outlives the session. */
  private Optional<Path> keepReport() throws IOException {
    if (!Files.exists(crash()) || Files.size(crash()) == 0) {
      return Optional.empty();
    }
    final long time = Files.getLastModifiedTime(crash()).toMillis();
    final String prefix = path.getFileName() + ".crash-";
    final Path kept = path.resolveSibling(prefix + time);
    Files.move(crash(), kept, StandardCopyOption.REPLACE_EXISTING);
    final List<Path> all = new ArrayList<>();
    for (final Path file : Names.in(path.getParent())) {
      if (file.getFileName().toString().startsWith(prefix)) {
        all.add(file);
      }
    }
    all.sort(Comparator.reverseOrder());
    for (final Path old : all.subList(Math.min(MOST_REPORTS, all.size()), all.size())) {
      Files.deleteIfExists(old);
    }
    return Optional.of(kept);
  }

  /**
   * Returns whether a killed I/O process left a session here that can be resumed.
   *
   * @param anyhow whether the session counts even if no process is attached any more
   */
  boolean isLeft(final boolean anyhow) throws IOException {
    if (!Files.exists(journal())) {
      return false;
    }
    if (!Files.exists(segment())) {
      if (anyhow && Files.isSymbolicLink(segment()) && Journal.isOfThisBoot(journal())) {
        throw refusal(
            ExitStatus.FAILED,
            "what was kept in %s is not here: %s is in a mount that is gone, or of another namespace; go on there, or remove %s to begin anew"
                .formatted(path, Files.readSymbolicLink(segment()), path));
      }
      return false;
    }
    if (!Journal.isOfThisBoot(journal())) {
      Warnings.warn(
          "what is in %s was not written since this node was booted, and is removed"
              .formatted(path));
      return false;
    }
    return anyhow || isUsed();
  }

  static boolean isUsed(final Segment left) {
    return IntStream.range(0, left.geometry().slots())
        .mapToObj(left::slot)
        .anyMatch(slot -> slot.isAttached() && slot.process().isAlive());
  }

  private boolean isUsed() throws IOException {
    try (Segment left = Segment.map(segment())) {
      return isUsed(left);
    } catch (final SegmentException ofNoUse) {
      return false;
    } catch (final FormatVersionException e) {
      throw refusal(ExitStatus.OTHER_VERSION, "%s, or remove %s".formatted(e.getMessage(), path));
    }
  }

  /** Returns a refusal to start; the content of the directory stays. */
  private CommandException refusal(final ExitStatus status, final String message) {
    preserve(true);
    return new CommandException(status, message);
  }

  /**
   * Sets whether the content of the directory outlives this I/O process, for another one to resume.
   *
   * @param whether false before a session has begun and once it is over
   */
  void preserve(final boolean whether) {
    if (whether) {
      awaitEnd();
    }
    preserved = whether;
  }

  /**
   * Waits forever if a signal has begun to end the JVM. Otherwise the caller would keep what the
   * end is to remove.
   */
  private static void awaitEnd() {
    try {
      final Thread none = new Thread(() -> {});
      Runtime.getRuntime().addShutdownHook(none);
      Runtime.getRuntime().removeShutdownHook(none);
    } catch (final IllegalStateException ending) {
      while (true) {
        LockSupport.park();
      }
    }
  }

  /** Opens the socket that clients connect to, in place of a socket without a listener. */
  ServerSocketChannel listen() throws IOException {
    Files.deleteIfExists(path.resolve(SOCKET));
    final ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(path.resolve(SOCKET)));
    return server;
  }

  void clear() throws IOException {
    clear(path);
  }

  static void clear(final Path directory) throws IOException {
    SegmentPlace.clear(directory);
    Journal.remove(directory.resolve(JOURNAL));
    Files.deleteIfExists(directory.resolve(SOCKET));
    Files.deleteIfExists(directory.resolve(ResumeScript.NAME));
    for (final Path path : Names.deepestFirst(directory.resolve(TRIAL))) {
      Files.deleteIfExists(path);
    }
  }

  /** The caller holds its lock. */
  static void delete(final Path directory) throws IOException {
    clear(directory);
    Files.deleteIfExists(directory.resolve(CRASH));
    Files.deleteIfExists(directory.resolve(LOCK));
    Files.deleteIfExists(directory);
  }

  private void removeAtExit() {
    try {
      remove();
    } catch (final IOException e) {
      Speaker.say(e.getMessage());
    }
  }

  private void remove() throws IOException {
    if (!preserved) {
      delete(path);
    }
  }

  /** Removes the directory, then releases the lock. */
  @Override
  public void close() throws IOException {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (final IllegalStateException exiting) {
      return; // the hook removes the directory, and the kernel releases the lock
    }
    remove();
    lock.close();
  }
}
