package org.sluice.core.posix;

import org.sluice.core.libc.PosixException;

/**
 * Writes past the page cache that go on while their thread does other things, so that the disk
 * always has a next one ({@code io_submit}). Where the kernel takes none, as in a sandbox, each
 * write is done when it is waited for. For one thread at a time.
 */
public final class AsyncWrites implements AutoCloseable {
  private final KernelRequests requests;

  /** The writes under way, by the kernel's names for them; null in free places. */
  private final Write[] underWay;

  /** A write that was started. */
  public final class Write {
    private final NativeFile file;
    private final IoVector pieces;
    private final long offset;

    /** Bytes written, negative for a failure. */
    private long result;

    private boolean ended;
    private boolean taken;

    private Write(final NativeFile file, final IoVector pieces, final long offset) {
      this.file = file;
      this.pieces = pieces;
      this.offset = offset;
    }

    /** Tells whether the kernel has taken the write, to go on by itself. */
    public boolean isTaken() {
      return taken;
    }

    /** Tells whether {@link #await} would not wait for the kernel. */
    public boolean hasEnded() {
      boolean more = !ended;
      while (more) {
        more = take(0) && !ended;
      }
      return ended;
    }

    /**
     * A call of its own writes the bytes that the kernel has left out, and tells why if it fails as
     * well.
     *
     * @throws PosixException when that fails; any part may have been written
     */
    public void await() throws PosixException {
      while (!ended) {
        take(1);
      }
      final long done = Math.max(0, result);
      pieces.written(done);
      file.pwrite(pieces, offset + done);
    }
  }

  /**
   * @param most the most writes under way; more are done when they are waited for
   */
  public AsyncWrites(final int most) {
    underWay = new Write[most];
    requests = new KernelRequests(most);
  }

  /**
   * @param file opened past the page cache
   * @param pieces to be written; they and their memory stay as they are until the end
   */
  public Write start(final NativeFile file, final IoVector pieces, final long offset) {
    final Write write = new Write(file, pieces, offset);
    final int place = free();
    write.taken = place >= 0 && file.writesPlainly() && submit(write, place);
    write.ended = !write.taken;
    if (write.taken) {
      underWay[place] = write;
    }
    return write;
  }

  private int free() {
    for (int i = 0; i < underWay.length; i++) {
      if (underWay[i] == null) {
        return i;
      }
    }
    return -1;
  }

  private boolean submit(final Write write, final int place) {
    final IoVector pieces = write.pieces;
    requests.prepare(
        place, KernelRequests.PWRITEV, write.file, pieces.address(), pieces.count(), write.offset);
    return requests.submit(place, 1) == 1;
  }

  /** Notes writes that have ended; waits for one if one is wanted. */
  private boolean take(final int wanted) {
    return requests.take(wanted, this::ended) > 0;
  }

  private void ended(final int place, final long result) {
    underWay[place].result = result;
    underWay[place].ended = true;
    underWay[place] = null;
  }

  /** Ends the means for writes, of which none may be under way. */
  @Override
  public void close() {
    requests.close();
  }
}
