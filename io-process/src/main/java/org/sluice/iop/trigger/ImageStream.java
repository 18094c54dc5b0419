package org.sluice.iop.trigger;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.sluice.core.libc.PosixException;
import org.sluice.core.process.PipeEnd;
import org.sluice.core.request.PieceDescriptor;
import org.sluice.core.request.Reply;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.iop.drain.Caller;

/**
 * A stream that sends an image through a pipe, see {@link PieceDescriptor}. A process that does not
 * read may be stopped. The stream waits for it only for a while, since others wait as well. The
 * process then asks again.
 */
final class ImageStream implements AutoCloseable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final PipeEnd pipe;
  private final Caller caller;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment piece = arena.allocate(PieceDescriptor.LENGTH, Long.BYTES);
  private boolean begun;
  private boolean unread;

  /**
   * Creates a stream, to be closed by the caller. The process is answered before its first byte.
   */
  ImageStream(final PipeEnd pipe, final Caller caller) {
    this.pipe = pipe;
    this.caller = caller;
  }

  /** Sends the whole image, or as much as the process wants. */
  void send(final CommittedImage image, final Rebuilder rebuilder) throws IOException {
    if (!begun) {
      begun = true;
      caller.answer(new Reply.Done());
    }
    rebuilder.read(image, this::bytes, this::zeros);
    begin(PieceDescriptor.TYPE_END, 0, image.size(), 0);
  }

  /** Tells the process why the image cannot be sent, or not all of it. */
  void fail(final Reply.Failed why) {
    if (!begun) {
      caller.answer(why);
    } else if (!unread) {
      sendFailure(why);
    }
  }

  private void bytes(final long address, final long length, final long offset) throws IOException {
    begin(PieceDescriptor.TYPE_BYTES, 0, offset, length);
    write(address, length);
  }

  private void zeros(final long offset, final long length) throws IOException {
    begin(PieceDescriptor.TYPE_ZEROS, 0, offset, length);
  }

  private void sendFailure(final Reply.Failed why) {
    final MemorySegment text =
        arena.allocateFrom(ValueLayout.JAVA_BYTE, why.message().getBytes(StandardCharsets.UTF_8));
    try {
      begin(PieceDescriptor.TYPE_FAILED, why.errno(), 0, text.byteSize());
      write(text.address(), text.byteSize());
    } catch (final PosixException nobodyReads) {
      unread = true;
    }
  }

  private void begin(final int type, final int errno, final long offset, final long length)
      throws PosixException {
    piece.set(ValueLayout.JAVA_INT, PieceDescriptor.TYPE_OFFSET, type);
    piece.set(ValueLayout.JAVA_INT, PieceDescriptor.ERROR_OFFSET, errno);
    piece.set(ValueLayout.JAVA_LONG, PieceDescriptor.OFFSET_OFFSET, offset);
    piece.set(ValueLayout.JAVA_LONG, PieceDescriptor.LENGTH_OFFSET, length);
    write(piece.address(), piece.byteSize());
  }

  private void write(final long address, final long length) throws PosixException {
    try {
      pipe.write(address, length, PATIENCE_NANOS);
    } catch (final PosixException e) {
      unread = true;
      throw e;
    }
  }

  @Override
  public void close() {
    pipe.close();
    arena.close();
  }
}
