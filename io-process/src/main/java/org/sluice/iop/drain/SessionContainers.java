package org.sluice.iop.drain;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Warnings;

/**
 * The open containers of a session. Chunks are appended to the last one; the others stay open while
 * the log of any image refers to them. Each checkpoint has its own, so that its blocks can be used
 * again when it is removed.
 *
 * <p>The write stage alone changes the list; the last stage reads it, and fills the reserve.
 */
final class SessionContainers {
  private static final long ROTATION_LENGTH = 1L << 30;

  private final PosixStore store;
  private final long sessionId;
  private final String node;

  /** True if chunks go to containers, so that the next one is made ready. */
  private final boolean reserves;

  private final Map<Long, Use> open = new ConcurrentHashMap<>();

  /** The open containers that no image needs. Write stage only. */
  private final Set<Use> idle = new HashSet<>();

  private final AtomicReference<Container> reserve = new AtomicReference<>();
  private Use current;
  private long appended;

  /** A container and the images that have bytes in it. */
  private static final class Use {
    private final Container container;
    private final Set<Image> images = ConcurrentHashMap.newKeySet();

    Use(final Container container) {
      this.container = container;
    }
  }

  SessionContainers(
      final PosixStore store, final long sessionId, final String node, final Layout layout) {
    this.store = store;
    this.sessionId = sessionId;
    this.node = node;
    this.reserves = !layout.drainsToFiles();
  }

  /** Returns the container that the next chunk goes to. Write stage only. */
  Container next(final int length) throws IOException {
    if (current == null || appended >= ROTATION_LENGTH || current.container.isLost()) {
      final Container ready = reserve.getAndSet(null);
      current = new Use(ready == null ? store.createContainer(sessionId, node) : ready);
      open.put(current.container.id(), current);
      idle.add(current);
      appended = 0;
    }
    appended += length;
    return current.container;
  }

  /** Opens a container of a former I/O process, which takes no more chunks. */
  void resume(final long id, final Image image) throws IOException {
    Use known = open.get(id);
    if (known == null) {
      known = new Use(store.resumeContainer(id, sessionId));
      open.put(id, known);
    }
    known.images.add(image);
  }

  /** Notes that an image has bytes in a container that {@link #next} returned. Write stage only. */
  void usedBy(final Container container, final Image image) {
    final Use use = open.get(container.id());
    use.images.add(image);
    idle.remove(use);
  }

  /** Notes that the log of an image is to begin anew. Write stage only. */
  void forget(final Image image) {
    for (final long id : image.log().containers()) {
      final Use use = open.get(id);
      if (use != null && use.images.remove(image) && use.images.isEmpty()) {
        idle.add(use);
      }
    }
  }

  /** Returns the containers that have bytes of an image. Write stage only. */
  List<Container> of(final Image image) {
    return image.log().containers().stream()
        .map(open::get)
        .filter(Objects::nonNull)
        .map(use -> use.container)
        .toList();
  }

  /**
   * Fails the images that have bytes in a container of which a sync failed. The failure is recorded
   * also for an I/O process that goes on after this one was killed, as the kernel would not report
   * it again. An image that the write stage adds meanwhile fails when it is committed. Last stage
   * only.
   */
  void failLost(final IOException failure) {
    open.values().stream()
        .filter(use -> use.container.isLost())
        .forEach(use -> use.images.forEach(image -> image.fail(failure)));
  }

  /** Lets the next chunk begin another container. Write stage only. */
  void turn() {
    current = null;
  }

  /** Takes out the containers that no log refers to; the caller closes them. Write stage only. */
  List<Container> release() {
    final List<Container> released = idle.stream().map(use -> use.container).toList();
    released.forEach(container -> open.remove(container.id()));
    current = idle.contains(current) ? null : current;
    idle.clear();
    return released;
  }

  /** Returns the number of open containers, the reserve included. Any thread. */
  int count() {
    return open.size() + (reserve.get() == null ? 0 : 1);
  }

  /**
   * Makes the next container ready, and then the store for its commit. A program whose files stay
   * in place may never have a checkpoint: its first commit makes the store ready. Last stage only.
   */
  void prepare() throws IOException {
    if (reserves && reserve.get() == null) {
      reserve.set(store.createContainer(sessionId, node));
    }
    if (reserves || store.hasCommitLog()) {
      store.prepareCommits();
    }
  }

  /** Deletes all containers that nobody needs, the reserve included. Last stage only. */
  void discardSpares() throws IOException {
    if (!reserves) {
      return;
    }
    final Container ready = reserve.getAndSet(null);
    if (ready != null) {
      ready.close();
    }
    store.discardSpares();
  }

  /** Ends the session; no work may be under way any more. */
  void close() throws IOException {
    for (final Use use : open.values()) {
      use.container.close();
    }
    try {
      discardSpares();
    } catch (final IOException e) {
      Warnings.warn("containers that are not needed keep their room: " + e.getMessage());
    }
  }
}
