package org.sluice.core.store.disk;

import static org.sluice.core.store.format.ContainerDescriptor.BLOCK_LENGTH;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PageCache;
import org.sluice.core.process.HugeMemory;
import org.sluice.core.store.format.ContainerDescriptor;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.model.ChunkLocation;

/**
 * A reader of the chunks of a container file, which verifies them. The reader goes past the page
 * cache, as the file was written: a restart reads each chunk once, and a copy less is half of its
 * work. A file that is in memory, as one read before, is read from there. Not thread-safe.
 */
public final class ContainerReader implements AutoCloseable {
  /**
   * The most bytes of a chunk for which memory is taken at once. The header of a longer chunk is
   * checked first.
   */
  private static final int MAX_UNCHECKED = 16 << 20;

  private final Path path;
  private final NativeFile file;
  private final long size;
  private final long id;
  private final long sessionId;
  private final ChunkReader reader = new ChunkReader();
  private final HugeMemory memory;

  private ContainerReader(
      final Path path,
      final NativeFile file,
      final long id,
      final long sessionId,
      final HugeMemory memory)
      throws IOException {
    this.path = path;
    this.file = file;
    this.size = file.size();
    this.id = id;
    this.sessionId = sessionId;
    this.memory = memory;
  }

  /**
   * Opens the container with this id, whose chunks must be of this session.
   *
   * @param memory memory for the bytes read; it may serve several readers in turns
   */
  public static ContainerReader open(
      final Path path, final long id, final long sessionId, final HugeMemory memory)
      throws IOException {
    final ContainerReader container =
        new ContainerReader(path, openFast(path), id, sessionId, memory);
    try {
      container.checkHeader();
      return container;
    } catch (final IOException e) {
      container.close();
      throw e;
    }
  }

  private static NativeFile openFast(final Path path) throws IOException {
    final NativeFile file = StoredFile.open(path);
    if (PageCache.hasMostOf(file, false)) {
      return file;
    }
    file.close();
    return StoredFile.openDirect(path);
  }

  /** Reads and verifies a chunk; the reader is valid until the memory is used again. */
  public ChunkReader read(final ChunkLocation location) throws IOException {
    final long position = location.position();
    if (location.used() > Math.max(memory.size(), MAX_UNCHECKED)) {
      checkPlace(load(position, BLOCK_LENGTH), position);
    }
    final UnsafeBuffer chunk = load(position, location.used());
    checkPlace(chunk, position);
    checkContent(chunk, location);
    try {
      reader.wrap(chunk, location.used(), sessionId).validate();
      return reader;
    } catch (final DamagedException e) {
      throw e.in(path.toString(), position);
    } catch (final FormatVersionException e) {
      throw e.in(path.toString(), position);
    }
  }

  private void checkPlace(final UnsafeBuffer chunk, final long position) throws DamagedException {
    final int headerCrc = Crc32c.of(chunk, 0, ChunkDescriptor.HEADER_CRC_OFFSET);
    if (chunk.getLong(ChunkDescriptor.HEADER_CRC_OFFSET) != Integer.toUnsignedLong(headerCrc)) {
      throw damage(position, "the crc of a chunk's header does not match");
    }
    if (chunk.getLong(ChunkDescriptor.CONTAINER_ID_OFFSET) != id
        || chunk.getLong(ChunkDescriptor.POSITION_OFFSET) != position) {
      throw damage(position, "a chunk from elsewhere stands here");
    }
  }

  private void checkContent(final UnsafeBuffer chunk, final ChunkLocation location)
      throws DamagedException {
    final long position = location.position();
    final int header = ChunkDescriptor.HEADER_LENGTH;
    final int crc = Crc32c.of(chunk, header, location.used() - header);
    if (crc != location.crc() || crc != chunk.getInt(ChunkDescriptor.CRC_OFFSET)) {
      throw damage(position + header, "the crc of a chunk's records does not match");
    }
    final int used = location.used();
    final int other = firstOther(new UnsafeBuffer(chunk.addressOffset(), aligned(used)), used);
    if (other >= 0) {
      throw damage(position + other, "the padding of a chunk is not zero");
    }
  }

  /** Returns the offset of the first byte that is not zero; -1 if all are. */
  private static int firstOther(final UnsafeBuffer buffer, final int from) {
    int at = from;
    while (at % Long.BYTES != 0 && buffer.getByte(at) == 0) {
      at++;
    }
    while (at % Long.BYTES == 0 && at < buffer.capacity() && buffer.getLong(at) == 0) {
      at += Long.BYTES;
    }
    while (at < buffer.capacity() && buffer.getByte(at) == 0) {
      at++;
    }
    return at < buffer.capacity() ? at : -1;
  }

  private static int aligned(final int length) {
    return BitUtil.align(length, BLOCK_LENGTH);
  }

  private void checkHeader() throws DamagedException, IOException {
    final UnsafeBuffer header = load(0, BLOCK_LENGTH);
    if (header.getLong(ContainerDescriptor.MAGIC_OFFSET) != ContainerDescriptor.MAGIC) {
      throw damage(0, "it is no container");
    }
    final int crc = header.getInt(ContainerDescriptor.CRC_OFFSET);
    header.putInt(ContainerDescriptor.CRC_OFFSET, 0);
    if (crc != Crc32c.of(header, 0, BLOCK_LENGTH)) {
      throw damage(0, "the crc of the header does not match");
    }
    final int version = header.getInt(ContainerDescriptor.VERSION_OFFSET);
    if (version != ContainerDescriptor.VERSION) {
      throw FormatVersionException.of(path.toString(), version, ContainerDescriptor.VERSION);
    }
    if (header.getLong(ContainerDescriptor.CONTAINER_ID_OFFSET) != id
        || header.getLong(ContainerDescriptor.SESSION_ID_OFFSET) != sessionId) {
      throw damage(ContainerDescriptor.CONTAINER_ID_OFFSET, "another container stands here");
    }
  }

  private UnsafeBuffer load(final long position, final int length) throws IOException {
    final int blocks = aligned(length);
    if (position > size - blocks) {
      throw damage(Math.max(position, size), "it is truncated");
    }
    final long address = memory.atLeast(blocks);
    if (StoredFile.read(file, address, blocks, position) < blocks) {
      throw damage(position, "it became shorter while it was read");
    }
    return new UnsafeBuffer(address, length);
  }

  private DamagedException damage(final long offset, final String reason) {
    return new DamagedException(path.toString(), offset, reason);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
