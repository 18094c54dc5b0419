package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.process.HugeMemory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.directory.StoreProfile;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.disk.ContainerReader;

/**
 * The containers and image files of a store that this process has open, and which are no garbage
 * therefore. Thread-safe.
 */
final class SessionFiles {
  private final StoreDirectory store;
  private final SpareContainers spares;
  private final StoreProfile profile;
  private final Map<Long, Container> containers = new ConcurrentHashMap<>();
  private final Set<Path> images = ConcurrentHashMap.newKeySet();

  /** Links of files that are not open; null before the first session. */
  private volatile HeldLinks held;

  SessionFiles(
      final StoreDirectory store, final SpareContainers spares, final StoreProfile profile) {
    this.store = store;
    this.spares = spares;
    this.profile = profile;
  }

  /** Makes a container, of a spare one if there is one. Under the store's lock. */
  Container createContainer(final long sessionId, final String node) throws IOException {
    final long id = Math.max(1, Entropy.nextLong() >>> 1);
    final Path path = store.container(id);
    spares.moveOne(path);
    final Container container =
        Container.create(path, id, sessionId, node, store.disk(), profile.mode(), this::give);
    containers.put(id, container);
    return container;
  }

  /** Opens a container of a session that goes on. Under the store's lock. */
  Container resumeContainer(final long id, final long sessionId) throws IOException {
    final Path path = store.container(id);
    try (HugeMemory memory = new HugeMemory()) {
      ContainerReader.open(path, id, sessionId, memory).close();
    }
    final Container container = Container.resume(path, id, this::give);
    containers.put(id, container);
    return container;
  }

  /** The session needs the container no more. */
  private void give(final long id) {
    containers.remove(id);
    spares.given(store.container(id));
  }

  /** Waits until what was appended to a container is on stable storage. */
  void sync(final long id) throws IOException {
    final Container container = containers.get(id);
    if (container == null) {
      throw new IllegalArgumentException("container %016x is not open".formatted(id));
    }
    container.sync();
  }

  NativeFile createImage() throws IOException {
    final Path path = store.staging().resolve("%016x".formatted(Entropy.nextLong()));
    final NativeFile file = store.disk().open(path, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE);
    keepImage(file);
    return file;
  }

  /** Before it is locked, it is too young to be garbage. */
  void keepImage(final NativeFile file) throws IOException {
    if (isOwn(file.opened())) {
      file.tryLock();
      keepImage(file.opened());
    }
  }

  /**
   * Keeps an image file. A file that is not open is no garbage as long as {@link #renew} says so.
   */
  void keepImage(final String path) {
    if (isOwn(path)) {
      images.add(Path.of(path));
    }
  }

  private boolean isOwn(final String path) {
    return FileName.isWithin(path, store.staging().toString());
  }

  HeldLinks held(final long sessionId) {
    held = new HeldLinks(store, sessionId);
    return held;
  }

  /** Says that they are in use. */
  void renew() throws IOException {
    for (final long id : containers.keySet()) {
      renew(store.container(id));
    }
    for (final Path file : images) {
      renew(file);
    }
    if (held != null) {
      held.renew();
    }
  }

  private void renew(final Path file) throws IOException {
    try {
      Names.touch(file);
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENOENT);
      images.remove(file);
    }
  }

  /** Closes the containers, and lets go of the files that links hold. */
  void close() throws IOException {
    if (held != null) {
      held.close();
    }
    for (final Container container : containers.values()) {
      container.close();
    }
  }
}
