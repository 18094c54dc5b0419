package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.directory.StoreDirectory;

/**
 * Hidden links of one session: names in the store, {@code held/SESSION/IMAGE}, of files that the
 * session's process has not open. Such a file keeps its inode number and its bytes whatever becomes
 * of its other names.
 *
 * <p>The links live as long as their process, which has the folder's lock, or until another goes on
 * with its session. So nothing is synchronised: after a power cut nobody asks for them, and they
 * are garbage like those of a process that was killed a minute ago. Thread-safe.
 */
public final class HeldLinks implements AutoCloseable {
  private static final String LOCK = "lock";

  private final StoreDirectory store;
  private final Path folder;
  private NativeFile lock;

  HeldLinks(final StoreDirectory store, final long sessionId) {
    this.store = store;
    this.folder = store.held().resolve("%016x".formatted(sessionId));
  }

  /**
   * Takes over the links of a killed process of the session.
   *
   * @param known the images that may have one; links of others are removed
   */
  public synchronized Set<Integer> resume(final Set<Integer> known) throws IOException {
    final Set<Integer> linked = new HashSet<>();
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return linked;
    }
    begin();
    for (final Path link : links(folder)) {
      final int image = image(link);
      if (known.contains(image)) {
        linked.add(image);
      } else {
        store.disk().delete(link, null);
      }
    }
    return linked;
  }

  private static int image(final Path link) {
    try {
      return Integer.parseInt(link.getFileName().toString());
    } catch (final NumberFormatException foreign) {
      return 0;
    }
  }

  private void begin() throws IOException {
    if (lock == null) {
      store.disk().createDirectory(store.held());
      store.disk().createDirectory(folder);
      lock = store.disk().open(folder.resolve(LOCK), Flag.WRITE, Flag.CREATE);
      lock.lock();
    }
  }

  /**
   * Links a file, unless it is.
   *
   * @throws IOException when that fails; {@link Errno#EXDEV} when the store is on another file
   *     system, {@link Errno#ENOENT} when the file has no name any more
   */
  public synchronized void link(final NativeFile file, final int image) throws IOException {
    begin();
    try {
      store.disk().link(file, of(image));
    } catch (final PosixException e) {
      if (e.errno() != Errno.EEXIST || !file.identity().isAt(of(image).toString())) {
        throw e;
      }
    }
  }

  public Path of(final int image) {
    return folder.resolve(Integer.toString(image));
  }

  public void remove(final int image) throws IOException {
    store.disk().delete(of(image), null);
  }

  /** Says that the links are in use. */
  synchronized void renew() throws IOException {
    if (lock != null) {
      Names.touch(folder.resolve(LOCK));
    }
  }

  /** Removes all of them, with the folder. */
  @Override
  public synchronized void close() throws IOException {
    if (lock != null) {
      remove(store, folder);
      lock.close();
      lock = null;
    }
  }

  /** Folders that nobody has locked, nor can be about to lock. Under the store's lock. */
  static List<Path> leftovers(final StoreDirectory store) throws IOException {
    final List<Path> leftovers = new ArrayList<>();
    if (Files.isDirectory(store.held(), LinkOption.NOFOLLOW_LINKS)) {
      for (final Path folder : Names.in(store.held())) {
        final Path locked = folder.resolve(LOCK);
        final Path young = Files.exists(locked, LinkOption.NOFOLLOW_LINKS) ? locked : folder;
        if (SpareContainers.isOld(young) && StoreDirectory.isUnlocked(locked)) {
          leftovers.add(folder);
        }
      }
    }
    return leftovers;
  }

  /** The lock goes last: a folder without it is garbage only when it is old. */
  static void remove(final StoreDirectory store, final Path folder) throws IOException {
    for (final Path link : links(folder)) {
      store.disk().delete(link, null);
    }
    store.disk().delete(folder.resolve(LOCK), null);
    store.disk().delete(folder, null);
  }

  private static List<Path> links(final Path folder) throws IOException {
    return Names.in(folder).stream()
        .filter(path -> !path.getFileName().toString().equals(LOCK))
        .toList();
  }
}
