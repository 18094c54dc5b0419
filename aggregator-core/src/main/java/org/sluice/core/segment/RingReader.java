package org.sluice.core.segment;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.FileName;

/**
 * The consumer's end of a slot's ring, which belongs to a process that may store anything in it at
 * any time. Each record is copied once, checked, and kept, so that the accessors return checked
 * values. The position is kept here and not read back. For a single thread of the I/O process.
 *
 * <p>The producer stores the length of a record last, with release order, and it is read here with
 * acquire order; the position is stored with release order once the record is not needed.
 */
public final class RingReader {
  private static final int HEAD_OFFSET =
      RingDescriptor.CAPACITY + RingDescriptor.HEAD_POSITION_OFFSET;

  private final UnsafeBuffer ring;
  private final UnsafeBuffer record = new UnsafeBuffer(new byte[RingDescriptor.RECORD_LENGTH]);
  private final int slot;
  private byte[] name = {};
  private long position;
  private long next;

  RingReader(final UnsafeBuffer ring, final int slot) {
    this.ring = ring;
    this.slot = slot;
  }

  /** Returns the position behind the last record that was taken off. */
  public long position() {
    return position;
  }

  /**
   * The position once the present record is taken off.
   *
   * @return behind the record, and the name of one that has a name
   */
  public long next() {
    return next;
  }

  /** Goes on at the place where a former I/O process stopped. */
  public void position(final long behind) {
    position = behind;
  }

  /** Tells whether the producer has stored nothing since the slot was taken. */
  public boolean isUnused() {
    return position == 0 && ring.getIntVolatile(RecordDescriptor.lengthOffset(0)) == 0;
  }

  /**
   * Copies the next record; false when there is none.
   *
   * @throws DamagedException when the ring holds something that no producer stores
   */
  public boolean read() throws DamagedException {
    final long head = ring.getLongVolatile(HEAD_OFFSET);
    if (head != position) {
      throw damage("position=%d expected=%d".formatted(head, position));
    }
    final int at = at(position);
    final int length = ring.getIntVolatile(RecordDescriptor.lengthOffset(at));
    if (length <= 0) {
      return false; // no record, or one that its producer is about to store
    }
    ring.getBytes(at, record, 0, RingDescriptor.RECORD_LENGTH);
    if (length != RingDescriptor.RECORD_LENGTH
        || type() < RingDescriptor.TYPE_CHUNK
        || type() > RingDescriptor.TYPE_OPEN) {
      throw damage("record type=%d length=%d".formatted(type(), length));
    }
    next = position + RingDescriptor.RECORD_LENGTH;
    if (type() == RingDescriptor.TYPE_OPEN) {
      readName(getInt(RingDescriptor.NAME_LENGTH_OFFSET));
    }
    return true;
  }

  /** The producer stores the length of an OPEN after the NAME records, so these are there. */
  private void readName(final int length) throws DamagedException {
    if (length < 1 || length > RingDescriptor.MAX_NAME_LENGTH) {
      throw damage("a name of %d bytes".formatted(length));
    }
    name = new byte[length];
    for (int done = 0; done < length; done += RingDescriptor.BODY_LENGTH) {
      final int at = at(next);
      if (ring.getInt(RecordDescriptor.typeOffset(at)) != RingDescriptor.TYPE_NAME) {
        throw damage("a name of %d bytes ends behind %d".formatted(length, done));
      }
      ring.getBytes(
          at + RingDescriptor.HEADER_LENGTH,
          name,
          done,
          Math.min(RingDescriptor.BODY_LENGTH, length - done));
      next += RingDescriptor.RECORD_LENGTH;
    }
    for (int i = 0; i < length; i++) {
      if (name[i] == 0) {
        throw damage("a name of %d bytes has a zero at %d".formatted(length, i));
      }
    }
  }

  private static int at(final long where) {
    return (int) (where % RingDescriptor.CAPACITY);
  }

  public String name() {
    return FileName.decode(name);
  }

  /** Takes the present record off: its place is the producer's again. */
  public void advance() {
    position = next;
    ring.putLongRelease(HEAD_OFFSET, position);
  }

  /** Returns {@code RingDescriptor.TYPE_CHUNK}, {@code TYPE_CLOSE} or {@code TYPE_OPEN}. */
  public int type() {
    return record.getInt(RecordDescriptor.typeOffset(0));
  }

  public int getInt(final int offset) {
    return record.getInt(RecordDescriptor.HEADER_LENGTH + offset);
  }

  public long getLong(final int offset) {
    return record.getLong(RecordDescriptor.HEADER_LENGTH + offset);
  }

  public DamagedException damage(final String reason) {
    return new DamagedException(
        "ring " + slot, Math.floorMod(position, RingDescriptor.CAPACITY), reason);
  }
}
