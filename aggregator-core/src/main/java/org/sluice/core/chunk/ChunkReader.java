package org.sluice.core.chunk;

import static org.sluice.core.chunk.ChunkDescriptor.HEADER_LENGTH;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Iterates over the records of a chunk, which may be in shared memory and may hold anything. Each
 * field is read once, checked, and kept. So the accessors return checked values, whatever the
 * chunk's owner does meanwhile. Allocates nothing unless the chunk is damaged. Not thread-safe.
 */
public final class ChunkReader {
  private static final String CHUNK = "chunk";

  private DirectBuffer chunk;
  private int used;
  private boolean open;
  private int next;

  private int position;
  private int type;
  private int imageId;
  private long offset;
  private long length;

  /**
   * Goes to the beginning of a published chunk.
   *
   * @param used its used length, header included, as its ring record or its index says
   * @throws DamagedException when the header is wrong; the offset is one in the chunk
   */
  public ChunkReader wrap(final DirectBuffer chunk, final int used, final long sessionId)
      throws DamagedException, FormatVersionException {
    checkHeader(chunk, sessionId);
    if (chunk.getInt(ChunkDescriptor.USED_OFFSET) != used) {
      throw new DamagedException(
          CHUNK, ChunkDescriptor.USED_OFFSET, "the used length differs from " + used);
    }
    return start(chunk, used, false);
  }

  /**
   * Goes to the beginning of a chunk that its owner may still append to. The last record ends where
   * the used length, read once, says. A chunk that has no header yet has no records.
   */
  public ChunkReader wrapOpen(final AtomicBuffer chunk, final long sessionId)
      throws DamagedException, FormatVersionException {
    final int used = chunk.getIntVolatile(ChunkDescriptor.USED_OFFSET);
    if (used == 0 || used == HEADER_LENGTH) { // its owner may be about to write the header
      return start(chunk, HEADER_LENGTH, true);
    }
    checkHeader(chunk, sessionId);
    return start(chunk, used, true);
  }

  /**
   * Goes to the next record; false when there is none.
   *
   * @throws DamagedException when the record is wrong; the offset is one in the chunk
   */
  public boolean next() throws DamagedException {
    if (next >= used) {
      return false;
    }
    goTo(next);
    return true;
  }

  /**
   * @throws DamagedException when there is no record by now
   */
  public void goTo(final int position) throws DamagedException {
    if (position > used - RecordDescriptor.HEADER_LENGTH) {
      throw new DamagedException(CHUNK, position, "a record exceeds the used length " + used);
    }
    this.position = position;
    type = chunk.getInt(position + RecordDescriptor.TYPE_OFFSET);
    imageId = chunk.getInt(position + RecordDescriptor.IMAGE_ID_OFFSET);
    offset = chunk.getLong(position + RecordDescriptor.OFFSET_OFFSET);
    length = chunk.getLong(position + RecordDescriptor.LENGTH_OFFSET);
    checkRecord();
    next = BitUtil.align(payload() + payloadLength(), RecordDescriptor.ALIGNMENT);
  }

  /** Goes back to before the first record. */
  public void rewind() {
    next = HEADER_LENGTH;
  }

  /** Checks all records and goes back to before the first. */
  public void validate() throws DamagedException {
    rewind();
    while (next()) {
      continue;
    }
    rewind();
  }

  /**
   * Turns the open chunk of a process that is dead into a published one: its last record ends where
   * the chunk does.
   */
  public void seal(final MutableDirectBuffer target) throws DamagedException {
    rewind();
    while (next()) {
      target.putLong(position + RecordDescriptor.LENGTH_OFFSET, length);
    }
    rewind();
  }

  public DirectBuffer chunk() {
    return chunk;
  }

  /** Returns bytes, the header included. */
  public int used() {
    return used;
  }

  /** Returns the record's offset in the chunk. */
  public int position() {
    return position;
  }

  /** Returns one of {@code RecordDescriptor.TYPE_*}. */
  public int type() {
    return type;
  }

  /** Returns the record's image, 1 or more. */
  public int imageId() {
    return imageId;
  }

  /** Returns the offset in the image, 0 or more; for a truncation, the image's size. */
  public long offset() {
    return offset;
  }

  /**
   * Returns the bytes that the record is about, 0 or more; {@code offset() + length()} is at most
   * {@link RecordDescriptor#MAX_END}.
   */
  public long length() {
    return length;
  }

  /**
   * Returns the offset of a WRITE's payload in the chunk; {@code length()} bytes from here lie
   * within the used length.
   */
  public int payload() {
    return position + RecordDescriptor.HEADER_LENGTH;
  }

  private int payloadLength() {
    return type == RecordDescriptor.TYPE_WRITE ? (int) length : 0;
  }

  private ChunkReader start(final DirectBuffer chunk, final int used, final boolean open)
      throws DamagedException {
    if (used < HEADER_LENGTH || used > chunk.capacity()) {
      throw new DamagedException(
          CHUNK,
          ChunkDescriptor.USED_OFFSET,
          "the used length %d is not between %d and %d"
              .formatted(used, HEADER_LENGTH, chunk.capacity()));
    }
    this.chunk = chunk;
    this.used = used;
    this.open = open;
    rewind();
    return this;
  }

  private static void checkHeader(final DirectBuffer chunk, final long sessionId)
      throws DamagedException, FormatVersionException {
    if (chunk.capacity() < HEADER_LENGTH
        || chunk.getInt(ChunkDescriptor.MAGIC_OFFSET) != ChunkDescriptor.MAGIC) {
      throw new DamagedException(CHUNK, ChunkDescriptor.MAGIC_OFFSET, "no chunk begins here");
    }
    final int version = chunk.getInt(ChunkDescriptor.VERSION_OFFSET);
    if (version != ChunkDescriptor.VERSION) {
      throw FormatVersionException.of(CHUNK, version, ChunkDescriptor.VERSION);
    }
    final long session = chunk.getLong(ChunkDescriptor.SESSION_ID_OFFSET);
    if (session != sessionId) {
      throw new DamagedException(
          CHUNK,
          ChunkDescriptor.SESSION_ID_OFFSET,
          "a chunk of session %016x stands where one of %016x belongs"
              .formatted(session, sessionId));
    }
  }

  private void checkRecord() throws DamagedException {
    final boolean ok =
        switch (type) {
          case RecordDescriptor.TYPE_WRITE -> checkPayload();
          case RecordDescriptor.TYPE_DIRECT -> length >= 0;
          case RecordDescriptor.TYPE_TRUNCATE -> length == 0;
          default ->
              throw new DamagedException(CHUNK, position, "a record has unknown type " + type);
        };
    if (!ok || imageId < 1 || !isInImage()) {
      throw new DamagedException(
          CHUNK,
          position,
          "a record of type %d is impossible: image %d, offset %d, length %d"
              .formatted(type, imageId, offset, length));
    }
  }

  private boolean isInImage() {
    return offset >= 0
        && offset <= RecordDescriptor.MAX_END
        && length <= RecordDescriptor.MAX_END - offset;
  }

  /** Cuts the last record of an open chunk, which may be longer than its valid part. */
  private boolean checkPayload() {
    final int room = used - payload();
    if (open && length > room) {
      length = room;
    }
    return length >= 0 && length <= room;
  }
}
