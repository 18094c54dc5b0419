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
 * The guard of images: programs outside Sluice that open an image wait until its own file holds
 * everything. Images alone are marked, never a mount, and only while their files may lack bytes.
 *
 * <p>Where this process may, the kernel asks for permission of each open (fanotify). Otherwise the
 * kernel only tells of opens (inotify). Then a closed file is held by a lease, which every open has
 * to wait for.
 *
 * <p>This process makes the marks, so that an image has its mark before any opener is told of the
 * image. The guard process answers, so that no program waits for this process if it is stopped.
 * Both hold the group: when the guard process ends, this process closes its own at once. A guard
 * process that does not answer for some seconds is killed, unless it waits for a processor all that
 * time. Service thread only, unless a method says otherwise.
 */
public final class Guard implements OutsideReaders, AutoCloseable {
  private static final int MOST_STARTS = 8;

  /** A listener to opens of images. */
  public interface Listener {
    /**
     * Handles an open of a marked file, for which a process waits.
     *
     * @param pid the process, if it opens files by the shim and is not attached; else 0
     * @param thread thread of the process; 0 unknown
     * @param allow lets the process go on; any thread may run it
     */
    void asked(ImageKey key, int pid, int thread, Runnable allow);

    /**
     * Handles an open of a file that is held by a lease. A process waits until the lease is given
     * back.
     */
    void held(Image image);

    /** Handles an open that has happened, by any process, also an attached one. */
    void opened(Image image);
  }

  private final GuardPlace place;
  private final Set<Image> marked = new HashSet<>();
  private Executor service = Runnable::run;
  private Listener listener;
  private volatile GuardProcess process;

  /** The {@link Fanotify} or {@link Inotify} group; null without a guard. */
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
   * Creates a guard and starts its process, if there can be one.
   *
   * @param place paths that its process needs; null when nothing is captured
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

  /** Closes the group, which lets waiting programs go on. Any thread. */
  private void closeGroup() {
    final AutoCloseable now = group;
    group = null;
    CloseHelper.close(now);
  }

  /** Returns by what means opens of programs outside Sluice are seen. */
  public String means() {
    return means;
  }

  /**
   * Starts to tell of opens.
   *
   * @param taker listener, called on the service thread
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

  /**
   * Applies an action to an image, if there still is one. The image may have been released while
   * the message was under way.
   */
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

  /** Replaces a guard process that has ended. The new one gets all marks anew. */
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

  /**
   * Gives out all leases anew. The kernel would have told only the former guard process that a
   * program waits.
   */
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

  /**
   * Warns once that the kernel refuses marks. A group that another thread has just closed is no
   * refusal.
   */
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

  /** Ends the lease, which hangs on the descriptor. Marks and watches do not. */
  @Override
  public void rest(final Image image) {
    unlease(image);
  }

  /** Returns whether files are held by leases, since the kernel lets no opener wait otherwise. */
  public boolean leases() {
    return group instanceof Inotify;
  }

  public boolean holdsByLease() {
    return !leased.isEmpty();
  }

  /** Returns whether the kernel lets programs wait that open a marked file. */
  public boolean asks() {
    return group instanceof Fanotify;
  }

  /**
   * Returns whether all programs of this node wait that open an image; false where the kernel lets
   * no program wait, or refused the mark of some file.
   */
  public boolean holdsAll() {
    return group instanceof Fanotify && !toldOfRefusal;
  }

  /**
   * Takes a lease on an image that no process under Sluice has open, so that programs wait that
   * open it.
   *
   * @param image an image whose own file may lack bytes
   * @return false when any process has the file open; true also for an image at rest, whose opens
   *     are only told of
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
   * Ends the lease of an image, and lets waiting programs go on.
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

  private boolean isLeased(final Image image) {
    return image
        .held()
        .descriptor()
        .filter(file -> leased.get(file.leaseNumber()) == image)
        .isPresent();
  }

  /** Returns whether there is a process that can ask the kernel who has a file open. */
  public boolean tellsOfOpens() {
    return process != null;
  }

  /**
   * Returns whether any other process may have an image's own file open. The kernel tells by
   * granting a lease, for a moment, or not.
   *
   * @return true also when that is unknown
   */
  public boolean isOpenElsewhere(final Image image) {
    final GuardProcess now = process;
    if (isLeased(image)) {
      return false;
    }
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

  /** Checks from time to time whether the guard process still answers. */
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

  /**
   * Ends the guard, so that no program waits any more. Any thread, once the service thread has
   * ended.
   */
  @Override
  public void close() {
    closed = true;
    closeGroup();
    if (process != null) {
      process.close();
    }
  }
}
