package org.sluice.core.chunk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/** Appends records to a chunk the way an application process does. */
public final class ChunkBuilder {
  private final MemorySegment memory;
  private final UnsafeBuffer buffer;
  private int used = ChunkDescriptor.HEADER_LENGTH;

  public ChunkBuilder(final int length, final long sessionId) {
    memory = Arena.ofAuto().allocate(length, 4096);
    buffer = new UnsafeBuffer(memory.asByteBuffer()); // keeps the memory
    buffer.putInt(ChunkDescriptor.MAGIC_OFFSET, ChunkDescriptor.MAGIC);
    buffer.putInt(ChunkDescriptor.VERSION_OFFSET, ChunkDescriptor.VERSION);
    buffer.putLong(ChunkDescriptor.SESSION_ID_OFFSET, sessionId);
    buffer.putLong(ChunkDescriptor.SEQUENCE_OFFSET, 1);
    buffer.putInt(ChunkDescriptor.USED_OFFSET, used);
  }

  public UnsafeBuffer buffer() {
    return buffer;
  }

  public int used() {
    return used;
  }

  /** Whether a record with a payload of this length fits. */
  public boolean fits(final int payload) {
    return next() + RecordDescriptor.HEADER_LENGTH + payload <= memory.byteSize();
  }

  public ChunkBuilder write(final int imageId, final long offset, final byte... payload) {
    final int position = record(RecordDescriptor.TYPE_WRITE, imageId, offset, payload.length);
    buffer.putBytes(position + RecordDescriptor.HEADER_LENGTH, payload);
    return use(position + RecordDescriptor.HEADER_LENGTH + payload.length);
  }

  public ChunkBuilder direct(final int imageId, final long offset, final long length) {
    final int position = record(RecordDescriptor.TYPE_DIRECT, imageId, offset, length);
    return use(position + RecordDescriptor.HEADER_LENGTH);
  }

  public ChunkBuilder truncate(final int imageId, final long size) {
    final int position = record(RecordDescriptor.TYPE_TRUNCATE, imageId, size, 0);
    return use(position + RecordDescriptor.HEADER_LENGTH);
  }

  /** A record of any type with any length and no payload. */
  public ChunkBuilder raw(final int type, final int imageId, final long offset, final long length) {
    return use(record(type, imageId, offset, length) + RecordDescriptor.HEADER_LENGTH);
  }

  /** The crc of the records. */
  public int crc() {
    return Crc32c.of(buffer, ChunkDescriptor.HEADER_LENGTH, used - ChunkDescriptor.HEADER_LENGTH);
  }

  private int next() {
    return BitUtil.align(used, RecordDescriptor.ALIGNMENT);
  }

  private int record(final int type, final int imageId, final long offset, final long length) {
    final int position = next();
    buffer.putInt(position + RecordDescriptor.TYPE_OFFSET, type);
    buffer.putInt(position + RecordDescriptor.IMAGE_ID_OFFSET, imageId);
    buffer.putLong(position + RecordDescriptor.OFFSET_OFFSET, offset);
    buffer.putLong(position + RecordDescriptor.LENGTH_OFFSET, length);
    return position;
  }

  private ChunkBuilder use(final int end) {
    used = end;
    buffer.putIntRelease(ChunkDescriptor.USED_OFFSET, used);
    return this;
  }
}
