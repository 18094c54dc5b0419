package org.sluice.core.store.format;

import static org.sluice.core.store.format.LogDescriptor.BLOCK_LENGTH;
import static org.sluice.core.store.format.LogDescriptor.HEADER_LENGTH;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.store.model.Commit;

/**
 * A record of a commit log: all that has to be durable of a checkpoint whose bytes are in
 * containers. A mark commits nothing, and retires the records before it.
 *
 * @param sequence its number in the log, from 1
 * @param first the first record that counted when it was written; a mark's own does not
 * @param manifest the manifest as in a file; empty for a mark
 * @param index the index as in a file; empty for a mark, and where a file had it before the record
 */
public record LogRecord(
    long sequence, long first, int previous, int crc, byte[] manifest, byte[] index) {
  /** The manifest of a mark, and the index that is a file in the checkpoint's directory. */
  public static final byte[] NONE = {};

  /** Returns the bytes of a record in a log. */
  public static int length(final byte[] manifest, final byte[] index) {
    return BitUtil.align(
        Math.addExact(HEADER_LENGTH, Math.addExact(manifest.length, index.length)), BLOCK_LENGTH);
  }

  public int length() {
    return length(manifest, index);
  }

  /** Writes a record to memory that a file can take past the page cache. */
  public static MemorySegment encode(
      final Arena arena,
      final long log,
      final long sequence,
      final long first,
      final int previous,
      final byte[] manifest,
      final byte[] index) {
    final int length = length(manifest, index);
    final MemorySegment memory = arena.allocate(length, BLOCK_LENGTH);
    final UnsafeBuffer record = new UnsafeBuffer(memory.address(), length);
    record.putLong(LogDescriptor.MAGIC_OFFSET, LogDescriptor.MAGIC);
    record.putInt(LogDescriptor.VERSION_OFFSET, LogDescriptor.VERSION);
    record.putLong(LogDescriptor.LOG_ID_OFFSET, log);
    record.putLong(LogDescriptor.SEQUENCE_OFFSET, sequence);
    record.putLong(LogDescriptor.FIRST_OFFSET, first);
    record.putInt(LogDescriptor.PREVIOUS_OFFSET, previous);
    record.putInt(LogDescriptor.MANIFEST_LENGTH_OFFSET, manifest.length);
    record.putInt(LogDescriptor.INDEX_LENGTH_OFFSET, index.length);
    record.putBytes(HEADER_LENGTH, manifest);
    record.putBytes(HEADER_LENGTH + manifest.length, index);
    record.putInt(LogDescriptor.CRC_OFFSET, Crc32c.of(record, 0, length));
    return memory;
  }

  public static int crc(final MemorySegment record) {
    return new UnsafeBuffer(record.address(), HEADER_LENGTH).getInt(LogDescriptor.CRC_OFFSET);
  }

  /** {@return null when it is no record of this log, or not whole} */
  public static LogRecord decode(
      final String file, final long log, final UnsafeBuffer bytes, final int from)
      throws FormatVersionException {
    final int left = bytes.capacity() - from;
    if (left < BLOCK_LENGTH
        || bytes.getLong(from + LogDescriptor.MAGIC_OFFSET) != LogDescriptor.MAGIC
        || bytes.getLong(from + LogDescriptor.LOG_ID_OFFSET) != log) {
      return null;
    }
    final int manifestLength = bytes.getInt(from + LogDescriptor.MANIFEST_LENGTH_OFFSET);
    final int indexLength = bytes.getInt(from + LogDescriptor.INDEX_LENGTH_OFFSET);
    if (manifestLength < 0 || indexLength < 0) {
      return null;
    }
    final long length =
        BitUtil.align((long) HEADER_LENGTH + manifestLength + indexLength, BLOCK_LENGTH);
    if (length > left) {
      return null; // also when only its padding is cut
    }
    final int crc = bytes.getInt(from + LogDescriptor.CRC_OFFSET);
    bytes.putInt(from + LogDescriptor.CRC_OFFSET, 0);
    final int found = Crc32c.of(bytes, from, (int) length);
    bytes.putInt(from + LogDescriptor.CRC_OFFSET, crc);
    if (crc != found) {
      return null;
    }
    final int version = bytes.getInt(from + LogDescriptor.VERSION_OFFSET);
    if (version != LogDescriptor.VERSION) {
      throw FormatVersionException.of(file, version, LogDescriptor.VERSION);
    }
    final byte[] manifest = new byte[manifestLength];
    final byte[] index = new byte[indexLength];
    bytes.getBytes(from + HEADER_LENGTH, manifest);
    bytes.getBytes(from + HEADER_LENGTH + manifestLength, index);
    return new LogRecord(
        bytes.getLong(from + LogDescriptor.SEQUENCE_OFFSET),
        bytes.getLong(from + LogDescriptor.FIRST_OFFSET),
        bytes.getInt(from + LogDescriptor.PREVIOUS_OFFSET),
        crc,
        manifest,
        index);
  }

  /** Returns whether it has the index; else the checkpoint's directory has it, durably. */
  public boolean hasIndex() {
    return index.length > 0;
  }

  public boolean isMark() {
    return manifest.length == 0;
  }

  /** A mark has none. */
  public Commit commit(final String file) throws IOException {
    return ManifestCodec.decode(file, manifest);
  }
}
