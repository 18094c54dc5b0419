package org.sluice.iop.image;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.NativeFile;

/**
 * An image's own file, held by a descriptor or, at rest, by a hidden link in the store. Either way
 * its inode number is nobody else's and its bytes stay, whatever becomes of its names.
 *
 * <p>How one comes to rest, and is opened again:
 *
 * <ul>
 *   <li>The service thread chooses it while no process has it open. The last stage, behind all that
 *       was asked of the drain, synchronises what is in it and makes the link. The service thread
 *       closes the descriptor, unless something was asked of the drain about it meanwhile ({@link
 *       #use}). So no stage finds a descriptor closed that it uses.
 *   <li>Any thread that needs a descriptor opens the file again ({@link #open}), by a name that it
 *       had or else by the link, once device, inode and time of creation are the same. A commit
 *       needs many one after the other, and borrows each ({@link #lend}), by the link first: no
 *       program renames that.
 *   <li>The link stays until the image is let go of, so that no thread finds it gone.
 * </ul>
 */
public final class HeldFile implements FileSource {
  /** A program that has a lease is told to end it. Others wait meanwhile. */
  private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Image image;
  private final FileIdentity identity;
  private final Descriptors descriptors;

  /** Null at rest. Opened by any thread, closed by the service thread. */
  private volatile NativeFile file;

  /** Whether the kernel tells what the file is called: not once it was opened by its link. */
  private volatile boolean namedByKernel;

  /** Whether there is a hidden link besides the file's own names. */
  private volatile boolean linked;

  /** Whether a sync failed of which a closed descriptor told. */
  private volatile boolean lost;

  /** Whether the last search found no name of it. Service thread only. */
  private boolean notFound;

  /** Whether the last stage makes it fit for rest. Service thread only. */
  private boolean leaving;

  /** Whether it was used since it was chosen for that. Service thread only. */
  private boolean used;

  private HeldFile(final Image image, final FileIdentity identity, final Descriptors descriptors) {
    this.image = image;
    this.identity = identity;
    this.descriptors = descriptors;
  }

  static HeldFile open(final Image image, final NativeFile file, final Descriptors descriptors) {
    final HeldFile held = new HeldFile(image, file.identity(), descriptors);
    held.linked = descriptors.isLinked(image.id());
    held.take(file);
    return held;
  }

  static HeldFile atRest(final Image image, final Descriptors descriptors) {
    final FileIdentity identity =
        new FileIdentity(
            image.admitted().device(), image.admitted().inode(), image.admitted().born());
    final HeldFile held = new HeldFile(image, identity, descriptors);
    held.linked = descriptors.isLinked(image.id());
    return held;
  }

  private void take(final NativeFile opened) {
    namedByKernel = !linked || !opened.opened().equals(link());
    file = inRole(opened);
    descriptors.taken();
  }

  private static NativeFile inRole(final NativeFile file) {
    return file.role(FaultPoint.IMAGE_WRITE, FaultPoint.IMAGE_FSYNC);
  }

  /** An image of the API lies in the store under a name that nobody else changes. */
  private String link() {
    return image.created() == null ? descriptors.link(image.id()) : image.opened();
  }

  /**
   * What tells it from all others. Any thread.
   *
   * @return device, inode and time of creation
   */
  public FileIdentity identity() {
    return identity;
  }

  boolean isAtRest() {
    return file == null;
  }

  /**
   * The descriptor. Service thread.
   *
   * @return empty at rest
   */
  public Optional<NativeFile> descriptor() {
    return Optional.ofNullable(file);
  }

  boolean isNamedByKernel() {
    return file != null && namedByKernel;
  }

  void found() {
    notFound = false;
  }

  void notFound() {
    notFound = true;
  }

  /**
   * Whether a search proved that it is deleted, or moved away. The number of its links cannot: one
   * of them is the checkpoint's.
   *
   * @return false while no checkpoint has it
   */
  boolean isGone() {
    return notFound && image.isCommitted();
  }

  /** The open file, until the service thread brings it to rest. Any thread. */
  NativeFile open() throws IOException {
    final NativeFile now = file;
    if (now != null) {
      return now;
    }
    synchronized (this) {
      if (file == null) {
        take(forWriting());
        descriptors.idle(image);
      }
      return file;
    }
  }

  /** Lends a file at rest a descriptor of its own, for reading. Any thread. */
  @Override
  public Loan lend() throws IOException {
    final NativeFile now = file;
    if (now != null) {
      return FileSource.of(now).lend();
    }
    final NativeFile opened = inRole(reach(this::forReading, link(), image.name()));
    return new Loan(
        opened,
        () -> {
          lost |= opened.isLost();
          opened.close();
        });
  }

  /** By a program's name first, for the kernel to follow. */
  private NativeFile forWriting() throws IOException {
    return reach(this::forWriting, image.name(), link());
  }

  private NativeFile forWriting(final String path) throws PosixException {
    return isAt(path) ? itself(Reopening.quietly(path, identity)) : null;
  }

  private NativeFile forReading(final String path) throws PosixException {
    return isAt(path) ? itself(Reopening.forReading(path, identity)) : null;
  }

  /**
   * Null for another file, which has come under its name meanwhile. Waits for a program that has a
   * lease on it.
   */
  private NativeFile itself(final NativeFile opened) throws PosixException {
    boolean taken = false;
    try {
      if (!opened.identity().equals(identity)) {
        return null;
      }
      if (opened.isLetGo()) {
        opened.takeBack(LEASE_NANOS);
      }
      taken = true;
      return opened;
    } finally {
      if (!taken) {
        opened.close();
      }
    }
  }

  private FileStatus status(final String path) throws PosixException {
    final FileStatus status = FileStatus.of(path);
    return status.identity().equals(identity) ? status : null;
  }

  private boolean isAt(final String path) throws PosixException {
    try {
      return status(path) != null;
    } catch (final PosixException e) {
      if (isAbsence(e)) {
        return false;
      }
      throw e;
    }
  }

  private static boolean isAbsence(final PosixException e) {
    return e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR;
  }

  /** Gets at the file by a name. */
  @FunctionalInterface
  private interface Access<T> {
    /** Null when another file has the name. */
    T by(String name) throws PosixException;
  }

  /**
   * Gets at the file by the first name that leads to it. After an error that may pass it is not
   * missing.
   */
  private <T> T reach(final Access<T> access, final String... names) throws IOException {
    PosixException failure = null;
    for (final String name : names) {
      try {
        final T reached = access.by(name);
        if (reached != null) {
          return reached;
        }
      } catch (final PosixException e) {
        failure = isAbsence(e) ? failure : e;
      }
    }
    throw failure == null ? missing() : failure;
  }

  private MissingException missing() {
    return new MissingException(
        image.name(),
        "neither this name nor the link that held it leads to the file that was written; write it"
            + " again");
  }

  /**
   * What the kernel tells of it. Any thread.
   *
   * @return of the file itself, however it is held
   * @throws IOException when the kernel does not tell; {@link MissingException} when it is not
   *     found
   */
  public synchronized FileStatus status() throws IOException {
    return file != null ? file.status() : reach(this::status, link(), image.name());
  }

  /**
   * How many names it has, the hidden link not counted. Any thread.
   *
   * @return 0 once it is deleted
   * @throws IOException when the kernel does not tell; {@link MissingException} when it is not
   *     found
   */
  public int links() throws IOException {
    final int all = status().links();
    if (linked && all <= 1 && !isAt(link())) {
      linked = false; // a user removed it
    }
    return linked ? all - 1 : all;
  }

  /**
   * Whether a sync of it failed. Any thread.
   *
   * @return true until it is emptied
   */
  public boolean isLost() {
    final NativeFile now = file;
    return lost || now != null && now.isLost();
  }

  void renew() {
    final NativeFile now = file;
    lost = false;
    if (now != null) {
      now.renew();
    }
  }

  // ---- going to rest ----

  /** The last stage makes it fit for rest, which it comes to unless it is used before. */
  public void leave() {
    leaving = true;
    used = false;
  }

  /**
   * A process opens it, or something is asked of the drain about it, so that it does not come to
   * rest before that is done. Service thread.
   */
  public void use() {
    used = true;
  }

  /**
   * Whether the last stage makes it fit for rest. Service thread.
   *
   * @return from {@link #leave} to {@link #left}
   */
  public boolean isLeaving() {
    return leaving;
  }

  /**
   * The last stage is through with it. Service thread.
   *
   * @return whether it was not used since it was chosen
   */
  public boolean left() {
    leaving = false;
    return !used;
  }

  /**
   * Makes it fit for rest. Has the kernel tell of an error of the storage, which it tells only
   * those who have the file open: that fails the image. Last stage, behind all that was asked of
   * the drain before.
   *
   * @throws IOException when it must keep its descriptor
   */
  public void prepare() throws IOException {
    if (image.created() == null) {
      descriptors.links().link(file, image.id());
      linked = true;
    }
    try {
      if (file.allocated() > 0) {
        file.sync();
      }
    } catch (final PosixException e) {
      image.fail(e);
    }
  }

  /** Closes the descriptor. Service thread. */
  synchronized void rest() throws IOException {
    lost |= file.isLost();
    close();
  }

  private void close() throws IOException {
    final NativeFile former = file;
    file = null;
    descriptors.given();
    former.close();
  }

  /** Lets go of the file for good. Service thread. */
  synchronized void release() throws IOException {
    try {
      if (file != null) {
        close();
      }
    } finally {
      if (linked) {
        descriptors.links().remove(image.id());
      }
    }
  }
}
