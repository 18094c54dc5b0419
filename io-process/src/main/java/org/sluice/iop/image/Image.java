package org.sluice.iop.image;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ImageTable;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.Reason;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.OpenTimes;
import org.sluice.iop.measure.Warnings;

/**
 * A captured file. The I/O process holds its inode, so that its number is not lost: open, or by a
 * link while it is at rest. Fields without a comment belong to the service thread.
 */
public final class Image extends ImageState {
  private final OpenTimes times = new OpenTimes();

  // While the session is served, from bind() on; the pipeline sees none before.
  private ImageKey key;
  private HeldFile held;
  private ImageTable table;
  private Journal journal;
  private OutsideReaders protection;

  /** The receiver of losses of an image that no checkpoint has. */
  private static final Consumer<String> ALONE = Warnings::warn;

  /** The first error in the drain; null while there is none. Any thread. */
  private final AtomicReference<Exception> failure = new AtomicReference<>();

  /** The receiver of losses of bytes. */
  private volatile Consumer<String> loss = ALONE;

  /** The bytes of the image that went through the drain. Any thread; the first stage adds. */
  private final AtomicLong logged = new AtomicLong();

  /** True if a program outside Sluice may have the file open. Written by the service thread. */
  private volatile boolean outside;

  /** The time when programs outside began to wait for the file, by {@link System#nanoTime}. */
  private long protectedAt;

  /** The first close before that; equal to it without a close. */
  private long closedAt;

  private long estimated;
  private boolean letGo;
  private int farewells;

  /** True if the file has an unknown name. Written by the service thread. */
  private volatile boolean unnamed;

  Image(final Entry.Admitted admitted, final Layout layout) {
    super(admitted, layout);
  }

  void bind(
      final HeldFile itsFile,
      final ImageTable imageTable,
      final Journal decisions,
      final OutsideReaders outsiders) {
    key = new ImageKey(itsFile.identity().device(), itsFile.identity().inode());
    held = itsFile;
    table = imageTable;
    journal = decisions;
    protection = outsiders;
    if (state() == ImageDescriptor.STATE_DIVERTED && log().drainsToFile()) {
      held.descriptor().ifPresent(NativeFile::expectWrites); // later the guard is asked for it
    }
    if (state() != ImageDescriptor.STATE_DIRECT) {
      protection.protect(this);
    }
    protectedAt = System.nanoTime();
    closedAt = protectedAt;
  }

  public void closed(final long time) {
    closedAt = time - closedAt < 0 ? time : closedAt;
  }

  /**
   * Returns the time for which programs outside did not wait for the file, though a process had
   * closed it. Only the first question after a close gets it.
   *
   * @return nanoseconds; 0 when they waited
   */
  public long takeUnheldNanos() {
    final long unheld = protectedAt - closedAt;
    closedAt = protectedAt;
    return unheld;
  }

  public ImageKey key() {
    return key;
  }

  /**
   * Returns the image's own file, opened again if it is at rest. Any thread once the drain was
   * asked about the image, and the service thread.
   *
   * @throws IOException when it cannot be opened; {@link MissingException} when it is not found
   */
  public NativeFile file() throws IOException {
    return held.open();
  }

  public HeldFile held() {
    return held;
  }

  /** Returns whether this process has no descriptor of its file. Any thread. */
  public boolean isAtRest() {
    return held.isAtRest();
  }

  /** Returns the path under which the file became an image, for messages. */
  public String opened() {
    return admitted().path();
  }

  /**
   * Returns whether its file has an unknown name. A program gave it that name while it was at rest,
   * or the search for it failed.
   */
  public boolean isUnnamed() {
    return unnamed;
  }

  /**
   * Returns whether a checkpoint has the image by its name, so that its file stays in its place.
   */
  public boolean isNamedBy(final Layout layout) {
    return layout.commitsNames() && created() == null;
  }

  void unnamed(final boolean is) {
    unnamed = is;
  }

  /** Counts bytes that went through the drain. Any thread. */
  public void addLogged(final long bytes) {
    logged.addAndGet(bytes);
  }

  /** Counts all present bytes of the image's file as known. Service thread only. */
  void known() {
    try {
      logged.set(held.status().allocated() - table.directBytes(entry()));
    } catch (final IOException e) {
      Warnings.warn("what is written to " + this + " cannot be estimated: " + e.getMessage());
    }
  }

  /** Notes that its file was emptied: all later bytes are new. Service thread only. */
  public void emptied() {
    logged.set(-table.directBytes(entry()));
    estimated = 0;
  }

  /**
   * Returns the reason why uncounted bytes may be in its file. Any thread.
   *
   * @return {@link Reason#NONE} for none
   */
  public Reason unseen() {
    return Reason.unseen(table.unseen(entry()) | 1L << reason().ordinal());
  }

  /**
   * Returns the bytes in its file that neither went through the drain nor were counted by a
   * process, nor returned here before. Service thread only.
   *
   * @return bytes, at most
   */
  public long takeUnseen() throws IOException {
    final long found = held.status().allocated() - logged.get() - table.directBytes(entry());
    final long more = Math.max(0, found - estimated);
    estimated += more;
    return more;
  }

  /**
   * Returns its logical size once everything was drained. A write that went direct while no chunk
   * was free is in the file only. Write stage only.
   */
  public long drainedSize() throws IOException {
    return Math.max(log().drainsToFile() ? 0 : log().size(), held.status().size());
  }

  /**
   * Takes what is known of bytes in its own file: nothing where a process has written there, or may
   * have. Write stage only.
   */
  public DrainedBlocks takeDrained() {
    final DrainedBlocks taken = log().takeDrained();
    final boolean alone = !outside && table.directBytes(entry()) == 0 && unseen() == Reason.NONE;
    return alone ? taken : new DrainedBlocks();
  }

  /**
   * Returns whether its file has no name any more, in any directory. An image whose file is not
   * found fails.
   *
   * @return false also when the kernel does not tell
   */
  public boolean isDeleted() {
    try {
      return held.links() == 0;
    } catch (final MissingException e) {
      fail(e);
      return false;
    } catch (final IOException e) {
      Warnings.warn(e.getMessage());
      return false;
    }
  }

  /** Returns the times when processes had the image open. Service thread only. */
  public OpenTimes times() {
    return times;
  }

  /**
   * Makes the image direct for every process; a full fence follows. Until {@link #settled} its size
   * is the logged one, if that is more than its file's.
   */
  public void direct(final Reason reason) {
    table.settling(entry(), reason);
    state(ImageDescriptor.STATE_DIRECT);
  }

  /** Marks that its own file holds all that was logged, since the image is direct. Any thread. */
  public void settled() {
    table.settled(entry());
  }

  /** Returns the reason why the image is direct. */
  public Reason reason() {
    return table.reason(entry());
  }

  /** Sets the reason why the image is direct; {@link Reason#NONE} when it is direct no longer. */
  public void reason(final Reason reason) {
    table.reason(entry(), reason);
  }

  /**
   * Changes the state of the image for every process; a full fence follows the store.
   *
   * @param next {@code ImageDescriptor.STATE_*}
   */
  public void state(final int next) {
    if (next == ImageDescriptor.STATE_DIVERTED || next == ImageDescriptor.STATE_COMMITTED) {
      protection.protect(this);
    } else if (next == ImageDescriptor.STATE_FREE) {
      protection.release(this);
    }
    apply(journal.write(new Entry.Changed(id(), next)));
    table.state(entry(), next);
  }

  /** Lets programs outside Sluice open its own file, once that holds everything. */
  public void unprotect() {
    if (state() == ImageDescriptor.STATE_DIRECT) {
      protection.release(this);
    }
  }

  /**
   * Returns whether a program outside Sluice may have the file open, of which nothing is known. Any
   * thread.
   */
  public boolean isOpenOutside() {
    return outside;
  }

  public void openOutside(final boolean may) {
    outside = may;
  }

  /**
   * Returns whether a process has its file open. Of programs that do not tell, that is known only
   * where the kernel grants leases.
   */
  public boolean isOpen() {
    return !openers().isEmpty() || outside && mayBeLeased();
  }

  /**
   * Returns whether a process may have its file open that got it by a fork or an exec, and tells
   * nothing of it.
   */
  public boolean isPassedOn() {
    return reason() == Reason.FORK || isAbandoned() && !writer().wasKilled();
  }

  /** Returns whether its file was left open by a process that is gone, as far as anyone knows. */
  public boolean isLeftOpen() {
    return isAbandoned() && (writer().wasKilled() || !mayBeLeased());
  }

  private boolean mayBeLeased() {
    return held().descriptor().filter(NativeFile::mayBeLeased).isPresent();
  }

  /**
   * Returns whether only programs have its file open, so that it is neither read nor written here.
   */
  public boolean isLetGo() {
    return letGo;
  }

  /** Sets whether only programs have the image's file open. */
  public void letGo(final boolean without) {
    letGo = without;
  }

  /**
   * Returns the logical size that every process sees. While the image is diverted its writer may
   * change it at any time.
   */
  public long size() {
    return table.size(entry());
  }

  /** Returns whether the image has bytes, or may have: the table need not tell of a direct one. */
  public boolean hasBytes() {
    return state() == ImageDescriptor.STATE_DIRECT || size() > 0;
  }

  /** Sets the logical size, while nobody diverts the image. */
  public void size(final long size) {
    table.size(entry(), size);
  }

  /** Returns the errno of the image's first error in the drain, 0 for none. Any thread. */
  public int errno() {
    return failure().map(reason -> Failure.of(reason).errno()).orElse(0);
  }

  /** Returns the first error of the image in the drain. Any thread. */
  public Optional<Exception> failure() {
    return Optional.ofNullable(failure.get());
  }

  /** Records the first error, for the writer's next call; no commit has the image. Any thread. */
  public void fail(final Exception reason) {
    if (failure.compareAndSet(null, reason)) {
      table.error(entry(), Failure.of(reason).errno());
      if (created() == null) { // else its checkpoint's line names it as users do
        final boolean ofStorage = reason instanceof PosixException; // then others fail by it, too
        (ofStorage ? loss : ALONE).accept("image " + opened() + " is lost: " + reason.getMessage());
      }
    }
  }

  /**
   * Notes that the image enters a checkpoint, or leaves it. Service thread.
   *
   * @param told receiver of losses of bytes, on any thread; null where no checkpoint has it
   */
  public void inCheckpoint(final Consumer<String> told) {
    loss = told == null ? ALONE : told;
  }

  /** Takes over the errno that a former I/O process met, 0 for none. */
  public void resumeFailure(final int errno) {
    if (errno != 0) {
      failure.set(failed(errno));
    }
  }

  /** Forgets the error, since the image has lost its bytes on purpose. Any thread. */
  public void recover() {
    held.renew();
    if (failure.getAndSet(null) != null) {
      table.error(entry(), 0);
    }
  }

  /**
   * Returns whether the image may do without a descriptor, once the drain has finished with it;
   * false while a process has it open, and when it is at rest, on its way there or about to be
   * released.
   */
  public boolean mayRest() {
    return openers().isEmpty()
        && !outside
        && !letGo
        && farewells == 0
        && !isAtRest()
        && !held.isLeaving();
  }

  /** Notes that a work in the pipeline ends with {@link #isUnused}. */
  public void farewell() {
    farewells++;
  }

  /** Returns whether the image may be released when the pipeline has finished. */
  public boolean isLeaving() {
    return farewells > 0;
  }

  /** Ends a {@link #farewell}, as the pipeline has finished with it. */
  public boolean isUnused() {
    farewells--;
    return farewells == 0 && openers().isEmpty() && !outside;
  }

  @Override
  public String toString() {
    return "image " + id() + " " + opened();
  }
}
