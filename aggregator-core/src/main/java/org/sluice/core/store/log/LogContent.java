package org.sluice.core.store.log;

import static org.sluice.core.store.format.LogDescriptor.BLOCK_LENGTH;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.format.LogRecord;
import org.sluice.core.store.format.StoredFile;

/**
 * The content of a commit log. The record with the highest sequence is the last one, since none is
 * written before the one before it is durable, nor over it. The last record names the first that
 * counts. From it the chain of checksums leads back to that one. Torn and older records are outside
 * the chain.
 */
public final class LogContent {
  /** The most bytes of a log, so that a foreign file in its place cannot take all memory. */
  private static final int MAX_LENGTH = 64 << 20;

  private final Path path;
  private final long id;

  private final NavigableMap<Long, LogRecord> records = new TreeMap<>();

  private final List<IOException> damage = new ArrayList<>();

  private LogContent(final Path path, final MemorySegment bytes) {
    this.path = path;
    this.id = StoreDirectory.logId(path);
    find(bytes);
    if (!records.isEmpty()) {
      follow(records.lastEntry().getValue());
    }
  }

  /** Reads a log, whose process may write to it meanwhile: only damage found twice counts. */
  public static LogContent read(final Path path) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = bytes(path, arena);
      while (true) {
        final LogContent content = new LogContent(path, bytes);
        if (content.damage.isEmpty()) {
          return content;
        }
        final MemorySegment again = bytes(path, arena);
        if (again.mismatch(bytes) < 0) {
          return content;
        }
        bytes = again;
      }
    }
  }

  private static MemorySegment bytes(final Path path, final Arena arena) throws IOException {
    try (NativeFile file = StoredFile.openDirect(path)) {
      StoredFile.checkSize(file, MAX_LENGTH);
      final long most = BitUtil.align(file.size(), BLOCK_LENGTH);
      final MemorySegment memory = arena.allocate(Math.max(BLOCK_LENGTH, most), BLOCK_LENGTH);
      return memory.asSlice(0, StoredFile.read(file, memory.address(), most, 0));
    }
  }

  private void find(final MemorySegment bytes) {
    final int length = (int) bytes.byteSize();
    final UnsafeBuffer buffer = new UnsafeBuffer(bytes.address(), length);
    try {
      for (int from = 0; from < length; from += BLOCK_LENGTH) {
        final LogRecord record = LogRecord.decode(path.toString(), id, buffer, from);
        if (record != null) {
          records.put(record.sequence(), record);
        }
      }
    } catch (final FormatVersionException e) {
      damage.add(e);
    }
  }

  private void follow(final LogRecord last) {
    if (last.first() >= last.sequence()) {
      return; // nothing else counts
    }
    LogRecord next = last;
    for (final LogRecord record :
        records.subMap(last.first(), true, last.sequence(), false).descendingMap().values()) {
      checkChain(record, next);
      next = record;
    }
    if (last.first() < next.sequence()) {
      damage.add(damaged("the record of a committed checkpoint is missing"));
    }
  }

  private void checkChain(final LogRecord record, final LogRecord next) {
    if (record.sequence() != next.sequence() - 1) {
      damage.add(damaged("the record of a committed checkpoint is missing"));
    } else if (record.crc() != next.previous()) {
      damage.add(damaged("a record is not the one that the next one follows"));
    }
  }

  private DamagedException damaged(final String reason) {
    return new DamagedException(
        path.toString(), 0, reason + "; sluice gc --damaged-logs goes on without it");
  }

  /** Returns the commits that count, the oldest first. */
  public List<LoggedCommit> commits() {
    final List<LoggedCommit> commits = new ArrayList<>();
    if (!records.isEmpty()) {
      final long first = records.lastEntry().getValue().first();
      for (final LogRecord record : records.tailMap(first).values()) {
        try {
          if (!record.isMark()) {
            commits.add(LoggedCommit.of(path, record));
          }
        } catch (final IOException e) {
          damage.add(e);
        }
      }
    }
    return commits;
  }

  /**
   * Returns the damage of the log, including that of {@link #commits()} once they were asked for.
   */
  List<IOException> damage() {
    return damage;
  }
}
