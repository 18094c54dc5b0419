package org.sluice.iop.drain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.sluice.core.store.Container;
import org.sluice.core.store.PosixStore;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Warnings;

/**
 * The open containers of a session. The last one is appended to; the others stay open while the log
 * of any image refers to them. Each checkpoint has its own, so that its blocks can be used again
 * when it is removed.
 *
 * <p>The write stage alone changes the list; the last stage reads it, and fills the reserve.
 */
final class SessionContainers {
  private static final long ROTATION_LENGTH = 1L << 30;

  private final PosixStore store;
  private final long sessionId;
  private final String node;
  private final List<Use> open = new CopyOnWriteArrayList<>();
  private final AtomicReference<Container> reserve = new AtomicReference<>();
  private Use current;
  private long appended;

  /** A container and who may need it; an image that does not any more is found out later. */
  private record Use(Container container, Set<Image> images) {
    Use(final Container container) {
      this(container, ConcurrentHashMap.newKeySet());
    }

    boolean isNeeded() {
      prune();
      return !images.isEmpty();
    }

    void prune() {
      images.removeIf(image -> !image.log().refersTo(container.id()));
    }
  }

  SessionContainers(final PosixStore store, final long sessionId, final String node) {
    this.store = store;
    this.sessionId = sessionId;
    this.node = node;
  }

  /**
   * The container that the next chunk goes to. Write stage only.
   *
   * @param length bytes of the chunk
   */
  Container next(final int length) throws IOException {
    if (current == null || appended >= ROTATION_LENGTH || current.container.isLost()) {
      final Container ready = reserve.getAndSet(null);
      current = new Use(ready == null ? store.createContainer(sessionId, node) : ready);
      open.add(current);
      appended = 0;
    }
    appended += length;
    return current.container;
  }

  /** Opens a container of a former I/O process, which takes no more chunks. */
  void resume(final long id, final Image image) throws IOException {
    Use known = open.stream().filter(use -> use.container.id() == id).findFirst().orElse(null);
    if (known == null) {
      known = new Use(store.resumeContainer(id, sessionId));
      open.add(known);
    }
    known.images.add(image);
  }

  /** Notes that an image has bytes in a container that {@link #next} returned. Write stage only. */
  void usedBy(final Container container, final Image image) {
    for (final Use use : open) {
      if (use.container == container) {
        use.images.add(image);
      }
    }
  }

  /** The containers that have bytes of an image. Write stage only. */
  List<Container> of(final Image image) {
    return open.stream()
        .map(Use::container)
        .filter(container -> image.log().refersTo(container.id()))
        .toList();
  }

  /**
   * Fails the images that have bytes in a container of which a sync failed, also for an I/O process
   * that goes on after this one was killed: the kernel would tell that one nothing. An image that
   * the write stage adds meanwhile fails when it is committed. Last stage only.
   */
  void failLost(final IOException failure) {
    open.stream()
        .filter(use -> use.container.isLost())
        .forEach(use -> use.images.forEach(image -> image.fail(failure)));
  }

  /**
   * Lets the next chunk begin another container. Before a commit syncs those there are, each
   * forgets the images that need it no more: they do not fail with it. Write stage only.
   */
  void turn() {
    open.forEach(Use::prune);
    current = null;
  }

  /** Takes those out that no log refers to; the caller closes them. Write stage only. */
  List<Container> release() {
    final List<Container> released = new ArrayList<>();
    for (final Use use : open) {
      if (!use.isNeeded()) {
        open.remove(use);
        current = use == current ? null : current;
        released.add(use.container);
      }
    }
    return released;
  }

  /** Makes the next container ready. Last stage only. */
  void prepare() throws IOException {
    if (reserve.get() == null) {
      reserve.set(store.createContainer(sessionId, node));
    }
  }

  /** Deletes all containers that nobody needs, the reserve too. Last stage only. */
  void discardSpares() throws IOException {
    final Container ready = reserve.getAndSet(null);
    if (ready != null) {
      ready.close();
    }
    store.discardSpares();
  }

  /** Ends the session; nothing may be under way any more. */
  void close() throws IOException {
    for (final Use use : open) {
      use.container.close();
    }
    try {
      discardSpares();
    } catch (final IOException e) {
      Warnings.warn("containers that are not needed keep their room: " + e.getMessage());
    }
  }
}
