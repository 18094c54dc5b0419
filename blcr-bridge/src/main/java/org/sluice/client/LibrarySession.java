package org.sluice.client;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.sluice.bridge.NativeLibraries;
import org.sluice.core.libc.Installation;

/**
 * A session of {@code libsluice.so}. Thread-safe: calls share the lock, and closing, which frees
 * the session, has it alone. So no call uses a freed session.
 */
final class LibrarySession {
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  /** The native session; 0 once it is closed. */
  private long session;

  private LibrarySession(final long session) {
    this.session = session;
  }

  /**
   * Opens a session.
   *
   * @param directory the I/O process's runtime directory; null for the environment's
   */
  static LibrarySession open(final Path directory, final int rank, final int ranks)
      throws IOException {
    final Path library = NativeLibraries.client();
    if (!Files.isReadable(library)) {
      throw new IOException(
          "%s is missing; run scripts/build, or name its directory by -D%s"
              .formatted(library, Installation.PROPERTY));
    }
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment name =
          directory == null ? MemorySegment.NULL : arena.allocateFrom(directory.toString());
      final MemorySegment opened = arena.allocate(ValueLayout.JAVA_LONG);
      final int error = LibSluice.openSession(name, rank, ranks, opened);
      if (error < 0) {
        throw CheckpointException.of("", error);
      }
      return new LibrarySession(opened.get(ValueLayout.JAVA_LONG, 0));
    } catch (final LinkageError e) {
      throw new IOException("cannot load %s; build it on this machine".formatted(library), e);
    }
  }

  /**
   * Calls a function of {@link LibSluice} whose first parameter is the session.
   *
   * @param others further parameters, three at most
   * @return result of the function, at least 0
   * @throws CheckpointException when the function failed
   * @throws IOException when the session is closed
   */
  int call(final MethodHandle function, final long... others) throws IOException {
    final long[] three = Arrays.copyOf(others, 3);
    lock.readLock().lock();
    try {
      if (session == 0) {
        throw new IOException("the client is closed");
      }
      final int result = (int) LibSluice.call(function, session, three[0], three[1], three[2]);
      if (result < 0) {
        throw CheckpointException.of("", result);
      }
      return result;
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Waits until no call is under way, and allows no further ones.
   *
   * @return the session for {@link LibSluice#closeSession}, to be called once all images are
   *     closed; 0 if that has been done
   */
  long leave() {
    lock.writeLock().lock();
    try {
      final long left = session;
      session = 0;
      return left;
    } finally {
      lock.writeLock().unlock();
    }
  }
}
