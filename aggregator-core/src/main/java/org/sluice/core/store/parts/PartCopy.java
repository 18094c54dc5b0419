package org.sluice.core.store.parts;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.node.PosixReader;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.Upload;
import org.sluice.core.store.series.PartKey;

/**
 * The copy of a node's part of a checkpoint to an engine. The bytes of its images are copied once
 * each and without holes, one after the other. An object does not show how the images were stored
 * on the node. So a reader needs only the part and ranges of objects, and no byte more than it
 * restores.
 *
 * <p>The bytes of a commit are always the same and in the same order. So a copy that failed is
 * simply made again: its objects get the same bytes.
 */
public final class PartCopy {
  private final Engine engine;
  private final ObjectStream objects;
  private final Pace pace;
  private final ByteBuffer piece;
  private final long address;

  /** The upload of the present object; null between two objects. */
  private Upload upload;

  /** The number of bytes that went into pieces. */
  private long position;

  /** The blocks of the image that is being copied, in the order of their bytes. */
  private List<Block> blocks = new ArrayList<>();

  /** The pace of a copy, asked before each piece is sent. */
  @FunctionalInterface
  public interface Pace {
    /**
     * @throws IOException when the copy is to end
     */
    void before(long bytes) throws IOException;
  }

  private PartCopy(
      final Engine engine, final ObjectStream objects, final Pace pace, final MemorySegment piece) {
    this.engine = engine;
    this.objects = objects;
    this.pace = pace;
    this.piece = piece.asByteBuffer();
    this.address = piece.address();
  }

  /**
   * The copy takes 8 MiB of memory and the size of the index.
   *
   * @param commit one of its commits, whose images nobody changes
   * @param pace asked before each piece of up to 8 MiB
   * @return the part, to be put under that key
   * @throws NoSuchFileException when the commit was removed from the node's own store
   * @throws IOException when the copy fails; it may be tried again with the same key
   */
  public static StoredPart copy(
      final PosixReader store,
      final Commit commit,
      final Engine engine,
      final PartKey part,
      final Pace pace)
      throws IOException {
    return copy(store, commit, engine, new ObjectStream(part), pace);
  }

  static StoredPart copy(
      final PosixReader store,
      final Commit commit,
      final Engine engine,
      final ObjectStream objects,
      final Pace pace)
      throws IOException {
    final List<CommittedImage> images = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      final PartCopy copy =
          new PartCopy(engine, objects, pace, arena.allocate(Upload.PIECE, Block.MAX_LENGTH));
      if (!store.whileHeld(commit, () -> images.addAll(copy.copy(store, commit)))) {
        throw new NoSuchFileException("checkpoint " + commit.number() + " of " + store.directory());
      }
    }
    return new StoredPart(commit.copied(), images);
  }

  private List<CommittedImage> copy(final PosixReader store, final Commit commit)
      throws IOException {
    final List<CommittedImage> copied = new ArrayList<>();
    try (Rebuilder rebuilder = store.rebuilder(commit, false)) {
      for (final CommittedImage image : store.images(commit)) {
        blocks = new ArrayList<>();
        if (!image.isDirect()) { // the checkpoint has only the name of a direct image
          rebuilder.read(image, this::add);
        }
        copied.add(image.copied(blocks));
      }
      if (position > 0) {
        finish();
      }
      return copied;
    } finally {
      if (upload != null) {
        upload.close();
      }
    }
  }

  /** Takes bytes of the image. */
  private void add(final long from, final long length, final long offset) throws IOException {
    for (long done = 0; done < length; ) {
      if (!piece.hasRemaining()) {
        send();
      }
      final int count =
          (int) Math.min(Math.min(Block.MAX_LENGTH, piece.remaining()), length - done);
      final int at = piece.position();
      MemorySegment.copy(memory(from + done, count), 0, memory(address + at, count), 0, count);
      blocks.add(new Block(offset + done, count, Crc32c.of(address + at, count)));
      piece.position(at + count);
      position += count;
      done += count;
    }
  }

  @SuppressWarnings("restricted")
  private static MemorySegment memory(final long address, final long length) {
    return MemorySegment.ofAddress(address).reinterpret(length);
  }

  /** Sends a full piece, which more bytes follow. */
  private void send() throws IOException {
    if (objects.offset(position) == 0) {
      finish();
      return;
    }
    pace.before(piece.flip().remaining());
    upload().append(piece);
    piece.clear();
  }

  private void finish() throws IOException {
    pace.before(piece.flip().remaining());
    upload().finish(piece);
    upload.close();
    upload = null;
    piece.clear();
  }

  private Upload upload() throws IOException {
    if (upload == null) {
      upload = engine.upload(objects.key(position - 1));
    }
    return upload;
  }
}
