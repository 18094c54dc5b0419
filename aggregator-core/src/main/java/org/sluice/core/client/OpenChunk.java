package org.sluice.core.client;

import static org.agrona.BitUtil.align;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.RecordDescriptor;

/**
 * The chunk a process appends to. Not thread-safe: one thread at a time appends.
 *
 * <p>The I/O process may read it at any time: it loads {@code used} with acquire order and looks at
 * nothing behind it. So bytes are stored first and {@code used} last, with release order. A write
 * that continues the last record stores its payload, then the record's length, then {@code used}; a
 * reader that meets the new length with the old {@code used} clamps the record. The used length of
 * a free chunk is 0, so one just claimed reads as empty until its header is complete.
 */
final class OpenChunk {
  private final UnsafeBuffer chunk;
  private int used;
  private int last;

  /**
   * A chunk without records.
   *
   * @param chunk all of the chunk's memory
   * @param sessionId the session of the I/O process
   * @param sequence the chunk's sequence within its slot, from 1
   * @param slot the slot of this process
   * @param rank the rank of this process, -1 unknown
   */
  OpenChunk(
      final UnsafeBuffer chunk,
      final long sessionId,
      final long sequence,
      final int slot,
      final int rank) {
    this.chunk = chunk;
    chunk.putInt(ChunkDescriptor.MAGIC_OFFSET, ChunkDescriptor.MAGIC);
    chunk.putInt(ChunkDescriptor.VERSION_OFFSET, ChunkDescriptor.VERSION);
    chunk.putLong(ChunkDescriptor.SESSION_ID_OFFSET, sessionId);
    chunk.putLong(ChunkDescriptor.SEQUENCE_OFFSET, sequence);
    chunk.putInt(ChunkDescriptor.SLOT_OFFSET, slot);
    chunk.putInt(ChunkDescriptor.RANK_OFFSET, rank);
    used(ChunkDescriptor.HEADER_LENGTH);
  }

  int used() {
    return used;
  }

  long sequence() {
    return chunk.getLong(ChunkDescriptor.SEQUENCE_OFFSET);
  }

  /**
   * Appends as much of a write as fits.
   *
   * @param image the image's id
   * @param offset where the bytes stand in the image
   * @param source the bytes; its position moves over what was appended
   */
  void write(final int image, final long offset, final ByteBuffer source) {
    if (!continues(RecordDescriptor.TYPE_WRITE, image, offset)) {
      if (!hasRoom(1)) {
        return;
      }
      begin(RecordDescriptor.TYPE_WRITE, image, offset, 0);
    }
    final int count = Math.min(source.remaining(), chunk.capacity() - used);
    chunk.putBytes(used, source, source.position(), count);
    source.position(source.position() + count);
    lengthen(count);
    used(used + count);
  }

  /**
   * Appends a record without payload, or extends the last one if that is DIRECT too.
   *
   * @param type {@link RecordDescriptor#TYPE_DIRECT} or {@link RecordDescriptor#TYPE_TRUNCATE}
   * @param image the image's id
   * @param offset where the bytes stand in the image, or its new size
   * @param length how many they are, or 0
   * @return false when the chunk is full
   */
  boolean mark(final int type, final int image, final long offset, final long length) {
    if (type == RecordDescriptor.TYPE_DIRECT && continues(type, image, offset)) {
      lengthen(length);
      return true;
    }
    if (!hasRoom(0)) {
      return false;
    }
    begin(type, image, offset, length);
    used(used);
    return true;
  }

  private boolean hasRoom(final int payload) {
    final int start = align(used, RecordDescriptor.ALIGNMENT);
    return start + RecordDescriptor.HEADER_LENGTH + payload <= chunk.capacity();
  }

  private boolean continues(final int type, final int image, final long offset) {
    return last != 0
        && chunk.getInt(last + RecordDescriptor.IMAGE_ID_OFFSET) == image
        && chunk.getInt(last + RecordDescriptor.TYPE_OFFSET) == type
        && chunk.getLong(last + RecordDescriptor.OFFSET_OFFSET)
                + chunk.getLong(last + RecordDescriptor.LENGTH_OFFSET)
            == offset;
  }

  /** Begins a record behind the last one; it counts once the stored used length covers it. */
  private void begin(final int type, final int image, final long offset, final long length) {
    last = align(used, RecordDescriptor.ALIGNMENT);
    chunk.setMemory(used, last - used, (byte) 0);
    chunk.putInt(last + RecordDescriptor.TYPE_OFFSET, type);
    chunk.putInt(last + RecordDescriptor.IMAGE_ID_OFFSET, image);
    chunk.putLong(last + RecordDescriptor.OFFSET_OFFSET, offset);
    chunk.putLong(last + RecordDescriptor.LENGTH_OFFSET, length);
    used = last + RecordDescriptor.HEADER_LENGTH;
  }

  private void lengthen(final long length) {
    final int offset = last + RecordDescriptor.LENGTH_OFFSET;
    chunk.putLongRelease(offset, chunk.getLong(offset) + length);
  }

  private void used(final int length) {
    used = length;
    chunk.putIntRelease(ChunkDescriptor.USED_OFFSET, length);
  }
}
