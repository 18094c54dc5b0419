package org.sluice.core.store.log;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.format.IndexCodec;
import org.sluice.core.store.format.LogDescriptor;
import org.sluice.core.store.format.LogRecord;
import org.sluice.core.store.format.ManifestCodec;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.RankSet;

/**
 * The part of a node in a checkpoint of many nodes: manifest and index, in the form of a commit
 * log's record. Their containers and files are in the node's store.
 */
public record StoredPart(Commit commit, List<CommittedImage> images) {
  /** The most bytes of a part: an index of millions of images, where the heap is large enough. */
  public static final int MAX_LENGTH =
      (int) Math.min(1 << 30, Runtime.getRuntime().maxMemory() / 4);

  private static final long FIRST = 1;

  /**
   * @throws IOException when the part is too long
   */
  public byte[] encode() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      return LogRecord.encode(
              arena,
              commit.id(),
              FIRST,
              FIRST,
              0,
              ManifestCodec.encode(commit),
              IndexCodec.encode(commit.id(), images))
          .toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /**
   * @throws DamagedException when it is no part
   */
  public static StoredPart decode(final String object, final byte[] bytes) throws IOException {
    if (bytes.length >= LogDescriptor.BLOCK_LENGTH) {
      final LogRecord record = record(object, bytes);
      if (record != null && !record.isMark() && record.length() == bytes.length) {
        final Commit commit = record.commit(object);
        return new StoredPart(
            commit, IndexCodec.decode(object, commit.id(), ByteBuffer.wrap(record.index())));
      }
    }
    throw new DamagedException(object, 0, "it is no part of a checkpoint, or not whole");
  }

  private static LogRecord record(final String object, final byte[] bytes) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      final UnsafeBuffer buffer = new UnsafeBuffer(memory.address(), bytes.length);
      final long id = buffer.getLong(LogDescriptor.LOG_ID_OFFSET);
      return LogRecord.decode(object, id, buffer, 0);
    }
  }

  /** Returns the ranks whose images the part has; a program that is no job has one. */
  public RankSet ranks() {
    return commit.coverage().part().isEmpty()
        ? RankSet.of(IntStream.range(0, Math.max(1, commit.coverage().ranks())))
        : commit.coverage().part();
  }

  /**
   * Returns the names below a node's own store that this part needs to be read; those of
   * directories end in a slash.
   */
  public List<String> names() {
    return StoreDirectory.namesFor(commit);
  }
}
