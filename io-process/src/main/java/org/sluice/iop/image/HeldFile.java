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
 * its inode number is no other file's and its bytes stay, whatever becomes of its names.
 *
 * <p>A file comes to rest, and is opened again, as follows:
 *
 * <ul>
 *   <li>The service thread chooses it while no process has it open. The last stage comes to it
 *       after all earlier requests to the drain, synchronises it and makes the link. The service
 *       thread closes the descriptor, unless the drain was asked about the file meanwhile ({@link
 *       #use}). So no stage finds a descriptor closed that it uses.
 *   <li>Any thread that needs a descriptor opens the file again ({@link #open}), by a name that it
 *       had or else by the link. Device, inode and time of creation must be the same. A commit
 *       needs many descriptors one after the other, and borrows each ({@link #lend}), by the link
 *       first: no program renames that.
 *   <li>The link stays until the image is released, so that no thread finds it gone.
 * </ul>
 */
public final class HeldFile implements FileSource {
  /**
   * The longest wait for a program to end its lease, which it is told to do. Others wait meanwhile.
   */
  private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Image image;
  private final FileIdentity identity;
  private final Descriptors descriptors;

  /** The descriptor; null at rest. Opened by any thread, closed by the service thread. */
  private volatile NativeFile file;

  /** True if the kernel tells the name of the file: not once it was opened by its link. */
  private volatile boolean namedByKernel;

  /** True if there is a hidden link besides the file's own names. */
  private volatile boolean linked;

  /** True once a sync failed that a closed descriptor reported. */
  private volatile boolean lost;

  /** True if the last search found no name of the file. Service thread only. */
  private boolean notFound;

  /** True while the last stage makes the file fit for rest. Service thread only. */
  private boolean leaving;

  /** True once the file was used since it was chosen for that. Service thread only. */
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

  /** Any thread. */
  public FileIdentity identity() {
    return identity;
  }

  boolean isAtRest() {
    return file == null;
  }

  /** Returns the descriptor; empty at rest. Service thread. */
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
   * Returns whether a search proved that the file is deleted, or moved away. The number of its
   * links cannot prove it: one of them is the checkpoint's.
   *
   * @return false while no checkpoint has the file
   */
  boolean isGone() {
    return notFound && image.isCommitted();
  }

  /** Returns the open file, until the service thread brings it to rest. Any thread. */
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

  /** Opens the file by a program's name first, for the kernel to follow. */
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
   * Returns the opened file if it is the image's; null for another file, which has come under its
   * name meanwhile. Waits for a program that has a lease on it.
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

  /** An access to the file by a name. */
  @FunctionalInterface
  private interface Access<T> {
    /** Returns the result; null when another file has the name. */
    T by(String name) throws PosixException;
  }

  /**
   * Accesses the file by the first name that leads to it. After an error that may pass the file
   * does not count as missing.
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
   * Any thread.
   *
   * @throws IOException when the kernel does not tell; {@link MissingException} when it is not
   *     found
   */
  public synchronized FileStatus status() throws IOException {
    return file != null ? file.status() : reach(this::status, link(), image.name());
  }

  /**
   * Returns the number of its names, the hidden link not counted. Any thread.
   *
   * @return 0 once it is deleted
   * @throws IOException when the kernel does not tell; {@link MissingException} when it is not
   *     found
   */
  public int links() throws IOException {
    final int all = status().links();
    if (linked && all <= 1 && !isAt(link())) {
      linked = false; // a user removed the link
    }
    return linked ? all - 1 : all;
  }

  /** Returns whether a sync of the file failed. Any thread. */
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

  /** Marks that the last stage makes the file fit for rest, unless it is used before. */
  public void leave() {
    leaving = true;
    used = false;
  }

  /**
   * Marks the file as used: a process opens it, or the drain is asked about it. So the file does
   * not come to rest before that is done. Service thread.
   */
  public void use() {
    used = true;
  }

  /** Returns whether the last stage makes the file fit for rest. Service thread. */
  public boolean isLeaving() {
    return leaving;
  }

  /**
   * Marks that the last stage has finished with the file. Service thread.
   *
   * @return true if the file was not used since it was chosen
   */
  public boolean left() {
    leaving = false;
    return !used;
  }

  /**
   * Makes the file fit for rest. The sync makes the kernel report an error of the storage, which it
   * reports only to holders of a descriptor: the error fails the image. Last stage, after all
   * earlier requests to the drain.
   *
   * @throws IOException when the file must keep its descriptor
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

  /** Service thread. */
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

  /** Service thread. */
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
