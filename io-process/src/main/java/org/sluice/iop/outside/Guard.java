package org.sluice.iop.outside;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.agrona.collections.Int2ObjectHashMap;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.process.Fanotify;
import org.sluice.core.process.Inotify;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.OutsideReaders;
import org.sluice.iop.measure.Warnings;

/**
 * Has programs outside Sluice wait that open an image, until its own file holds everything. Images
 * alone are marked, never a mount, and only while their files may lack bytes.
 *
 * <p>Where this process may, the kernel asks for permission of each open (fanotify). Otherwise it
 * only tells of opens (inotify), but a file that no other has open is held by a lease, which every
 * open has to wait for.
 *
 * <p>This process makes the marks, so that an image has its own before any opener is told of it.
 * The guard process answers, so that no program waits for this one if it is stopped. Both hold the
 * group: when the guard ends, this process closes its own at once. One that does not answer for
 * some seconds is killed, unless it waits for a processor all that time. Service thread only,
 * unless it says otherwise.
 */
public final class Guard implements OutsideReaders, AutoCloseable {
  private static final int MOST_STARTS = 8;

  /** Learns which images programs open. */
  public interface Listener {
    /**
     * A process waits for an open of a marked file.
     *
     * @param key the file
     * @param pid the process, not attached, that says it opens files by the shim; 0 for any other
     * @param thread its thread; 0 unknown
     * @param allow lets it go on; any thread
     */
    void asked(ImageKey key, int pid, int thread, Runnable allow);

    /**
     * A process waits for an open of a file that is held by a lease, until that is given back.
     *
     * @param image an image of the session
     */
    void held(Image image);

    /**
     * A process, which may be attached, has opened a file.
     *
     * @param image an image of the session
     */
    void opened(Image image);
  }

  private final GuardPlace place;
  private final Set<Image> marked = new HashSet<>();
  private Executor service = Runnable::run;
  private Listener listener;
  private volatile GuardProcess process;

  /** A {@link Fanotify} or an {@link Inotify}; null without a guard. */
  private volatile AutoCloseable group;

  private final Int2ObjectHashMap<Image> watched = new Int2ObjectHashMap<>();
  private final Map<Image, Integer> watches = new HashMap<>();

  /** The leased images, by the numbers that the guard process knows them by. */
  private final Int2ObjectHashMap<Image> leased = new Int2ObjectHashMap<>();

  private String means;
  private int starts;
  private final Answers answers = new Answers();
  private boolean closed;
  private boolean toldOfRefusal;
  private boolean toldOfLateness;

  /**
   * A guard, if there can be one.
   *
   * @param place where its process finds what it needs; null when nothing is captured
   */
  public Guard(final GuardPlace place) {
    this.place = place;
    means = "none: nothing is captured";
    if (place != null) {
      begin();
    }
  }

  private void begin() {
    try {
      final OpenEvents events = OpenEvents.best();
      group = events.group();
      means = events.means();
      process = new GuardProcess(place);
      starts++;
      process.send(
          new GuardMessage(
              GuardMessage.GROUP, leases() ? GuardMessage.INOTIFY : GuardMessage.FANOTIFY),
          group);
    } catch (final IOException e) {
      closeGroup();
      means = "none: " + e.getMessage();
    }
  }

  /** Lets the programs go on that wait for an answer. Any thread. */
  private void closeGroup() {
    final AutoCloseable now = group;
    group = null;
    CloseHelper.close(now);
  }

  /**
   * By what means programs outside Sluice are seen.
   *
   * @return a line for users
   */
  public String means() {
    return means;
  }

  /**
   * Begins to tell of opens.
   *
   * @param executor runs what it is given on the service thread
   * @param taker told there
   */
  public void listen(final Executor executor, final Listener taker) {
    service = executor;
    listener = taker;
    listen();
  }

  private void listen() {
    final GuardProcess now = process;
    if (now != null) {
      now.listen(
          message -> service.execute(() -> take(now, message)),
          () -> {
            closeGroup();
            service.execute(() -> ended(now));
          });
    }
  }

  private void take(final GuardProcess from, final GuardMessage message) {
    switch (message.type()) {
      case GuardMessage.ASK ->
          listener.asked(
              new ImageKey(message.device(), message.inode()),
              message.pid(),
              message.thread(),
              () -> from.send(new GuardMessage(GuardMessage.ALLOW, message.number()), null));
      case GuardMessage.BROKEN -> ifKnown(leased.get(message.number()), listener::held);
      case GuardMessage.OPENED -> ifKnown(watched.get(message.number()), listener::opened);
      case GuardMessage.LATE -> tellOfLateness();
      case GuardMessage.PONG -> answers.come();
      default -> Warnings.warn("the guard says what it should not: " + message);
    }
  }

  /** The image may have been let go while the message was under way. */
  private static void ifKnown(final Image image, final Consumer<Image> action) {
    if (image != null) {
      action.accept(image);
    }
  }

  private void tellOfLateness() {
    if (!toldOfLateness) {
      toldOfLateness = true;
      Warnings.warn(
          "a program outside Sluice opened a file before it held everything, since this process stood"
              + " still for a second; what it read may be short, or zeros, and what it wrote be lost");
    }
  }

  /** The guard was killed, or killed itself: another one takes its place, with all marks anew. */
  private void ended(final GuardProcess former) {
    if (closed || process != former) {
      return;
    }
    process = null;
    answers.come();
    former.close();
    watched.clear();
    watches.clear();
    if (starts >= MOST_STARTS) {
      means = "none: it ended too often";
      Warnings.warn("programs outside Sluice are no longer seen: the guard ended too often");
    } else {
      Warnings.warn("the guard ended, and is started anew");
      begin();
      marked.forEach(this::mark);
      listen();
    }
    renewLeases();
  }

  /** The former guard alone would have been told that a program waits. */
  private void renewLeases() {
    final List<Image> former = List.copyOf(leased.values());
    leased.clear();
    for (final Image image : former) {
      if (image.held().descriptor().stream().anyMatch(NativeFile::isLeaseInTheWay)) {
        listener.held(image);
      } else {
        image.held().descriptor().ifPresent(NativeFile::unlease);
        lease(image);
      }
    }
  }

  @Override
  public void protect(final Image image) {
    if (place != null && !FileName.isWithin(image.opened(), place.store()) && marked.add(image)) {
      mark(image);
    }
  }

  private void mark(final Image image) {
    try (FileSource.Loan loan = image.held().lend()) {
      if (group instanceof final Fanotify asking) {
        asking.mark(loan.file());
      } else if (group instanceof final Inotify telling) {
        final int watch = telling.watch(loan.file());
        watched.put(watch, image);
        watches.put(image, watch);
      }
    } catch (final IOException e) {
      tellOfRefusal(e);
    }
  }

  /** Another thread may just have closed the group, which is no refusal. */
  private void tellOfRefusal(final IOException e) {
    final boolean closed = e instanceof final PosixException posix && posix.errno() == Errno.EBADF;
    if (!toldOfRefusal && group != null && !closed) {
      toldOfRefusal = true;
      Warnings.warn("programs outside Sluice may not see all bytes: " + e.getMessage());
    }
  }

  @Override
  public void release(final Image image) {
    unlease(image);
    if (marked.remove(image)) {
      unmark(image);
    }
  }

  private void unmark(final Image image) {
    final Integer watch = watches.remove(image);
    if (watch != null && group instanceof final Inotify telling) {
      watched.remove(watch.intValue());
      telling.unwatch(watch);
    } else if (group instanceof final Fanotify asking) {
      try (FileSource.Loan loan = image.held().lend()) {
        asking.unmark(loan.file());
      } catch (final IOException e) {
        tellOfRefusal(e);
      }
    }
  }

  /** The lease hangs on the descriptor; marks and watches do not. */
  @Override
  public void rest(final Image image) {
    unlease(image);
  }

  /**
   * Whether files are held by leases, since the kernel lets nobody wait otherwise.
   *
   * @return false also when there is no guard
   */
  public boolean leases() {
    return group instanceof Inotify;
  }

  /**
   * Whether a lease holds any file now.
   *
   * @return false also when there is no guard
   */
  public boolean holdsByLease() {
    return !leased.isEmpty();
  }

  /**
   * Whether the kernel has programs wait that open a marked file.
   *
   * @return false also when there is no guard
   */
  public boolean asks() {
    return group instanceof Fanotify;
  }

  /**
   * Whether all programs of this node wait that open an image.
   *
   * @return false where the kernel lets none wait, or not for some file
   */
  public boolean holdsAll() {
    return group instanceof Fanotify && !toldOfRefusal;
  }

  /**
   * Has programs wait that open an image, which nobody under Sluice has open.
   *
   * @param image an image whose own file may lack bytes
   * @return false when any process has it open; true also at rest, when only opens are told of
   */
  public boolean lease(final Image image) {
    final GuardProcess now = process;
    if (!leases() || now == null || image.isAtRest()) {
      return true;
    }
    final NativeFile file = image.held().descriptor().orElseThrow();
    final int number = file.leaseNumber();
    if (leased.get(number) == image) {
      return true;
    }
    if (!file.lease(now.pid())) {
      return false;
    }
    leased.put(number, image);
    now.send(new GuardMessage(GuardMessage.LEASE, number), file);
    return true;
  }

  /**
   * Ends the lease of an image, and lets the programs go on that wait for it.
   *
   * @param image an image; one without a lease stays as it is
   */
  public void unlease(final Image image) {
    image.held().descriptor().ifPresent(file -> unlease(image, file));
  }

  private void unlease(final Image image, final NativeFile file) {
    final GuardProcess now = process;
    final int number = file.leaseNumber();
    if (leased.get(number) == image) {
      leased.remove(number);
      file.unlease();
      if (now != null) {
        now.send(new GuardMessage(GuardMessage.DROP, number), null);
      }
    }
  }

  /**
   * Whether any other process may have an image's own file open. The kernel tells by granting a
   * lease, for a moment, or not.
   *
   * @param image an image of the session
   * @return true also when that cannot be told
   */
  public boolean isOpenElsewhere(final Image image) {
    final GuardProcess now = process;
    try {
      if (now == null || !image.file().lease(now.pid())) {
        return true;
      }
      image.file().unlease();
      return false;
    } catch (final IOException e) {
      Warnings.warn(e.getMessage());
      return true;
    }
  }

  /** Finds out whether the guard still answers; from time to time. */
  public void beat() {
    final GuardProcess now = process;
    final long time = System.nanoTime();
    if (now == null || marked.isEmpty()) {
      answers.come();
    } else if (answers.isDue(time)) {
      if (answers.look(time, GuardProcess.isStarved(now.pid()))) {
        Warnings.warn("the guard does not answer, and is killed");
        now.kill();
      } else {
        now.send(new GuardMessage(GuardMessage.PING, 0), null);
      }
    }
  }

  /** Ends the guard: no program waits any more. Any thread, once the service thread has ended. */
  @Override
  public void close() {
    closed = true;
    closeGroup();
    if (process != null) {
      process.close();
    }
  }
}
