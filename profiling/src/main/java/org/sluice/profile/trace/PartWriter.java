package org.sluice.profile.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import net.openhft.chronicle.bytes.MappedBytes;
import org.sluice.core.posix.FileName;

/**
 * A writer of one part of a recorded trace, through a growing mapping. Not thread-safe.
 *
 * <p>The tag of a record is stored last, with release semantics. So a reader of a dead process's
 * part sees whole records or none.
 */
public final class PartWriter implements AutoCloseable {
  private static final long WINDOW = 1 << 20;
  private static final long OVERLAP = 2L * PartDescriptor.MAX_PATH_LENGTH;

  private final Path path;
  private final MappedBytes out;
  private final long clockDifference;
  private final Map<String, FileState> files = new HashMap<>();
  private FileState lastFile;
  private long lastEnd;
  private long lastSize;
  private int lastKind;

  private static final class FileState {
    private final int id;
    private long next;

    private FileState(final int id) {
      this.id = id;
    }
  }

  /**
   * @param path file of the part, which must not exist
   * @param ranks number of ranks of the job, 0 unknown
   * @param realtime present time, in nanoseconds since the epoch
   * @param monotonic the monotonic clock at the same moment, in nanoseconds
   */
  public PartWriter(
      final Path path,
      final long traceId,
      final TracedProcess origin,
      final int ranks,
      final long realtime,
      final long monotonic)
      throws IOException {
    this.path = path;
    Files.createFile(path);
    out = MappedBytes.mappedBytes(path.toFile(), WINDOW, OVERLAP);
    clockDifference = realtime - monotonic;
    lastEnd = monotonic;
    final byte[] host = origin.host().getBytes(UTF_8);
    out.writeLong(PartDescriptor.MAGIC_OFFSET, PartDescriptor.MAGIC);
    out.writeInt(PartDescriptor.PID_OFFSET, origin.pid());
    out.writeLong(PartDescriptor.TRACE_ID_OFFSET, traceId);
    out.writeInt(PartDescriptor.RANK_OFFSET, origin.rank());
    out.writeInt(PartDescriptor.RANKS_OFFSET, ranks);
    out.writeLong(PartDescriptor.REALTIME_OFFSET, realtime);
    out.writeLong(PartDescriptor.MONOTONIC_OFFSET, monotonic);
    out.writeInt(PartDescriptor.HOST_OFFSET, Math.min(host.length, PartDescriptor.MAX_HOST_LENGTH));
    out.write(
        PartDescriptor.HOST_OFFSET + (long) Integer.BYTES,
        host,
        0,
        Math.min(host.length, PartDescriptor.MAX_HOST_LENGTH));
    out.writeOrderedInt(PartDescriptor.VERSION_OFFSET, PartDescriptor.VERSION);
    out.writePosition(PartDescriptor.LENGTH);
  }

  /** Appends a write, whose origin is ignored. */
  public void append(final Write write) {
    final FileState file = files.computeIfAbsent(write.file(), this::name);
    final int kind = write.call().ordinal() | write.route().ordinal() << 4;
    final int tag =
        PartDescriptor.WRITE
            | (file == lastFile ? PartDescriptor.SAME_FILE : 0)
            | (write.offset() == file.next ? PartDescriptor.SEQUENTIAL : 0)
            | (write.size() == lastSize ? PartDescriptor.SAME_SIZE : 0)
            | (kind == lastKind ? PartDescriptor.SAME_KIND : 0);
    final long begin = begin();
    if (file != lastFile) {
      out.writeStopBit(file.id);
    }
    if (write.offset() != file.next) {
      out.writeStopBit(PartDescriptor.zigzag(write.offset() - file.next));
    }
    if (write.size() != lastSize) {
      out.writeStopBit(write.size());
    }
    if (kind != lastKind) {
      out.writeUnsignedByte(kind);
    }
    final long time = write.time().begin() - clockDifference;
    out.writeStopBit(PartDescriptor.zigzag(time - lastEnd));
    out.writeStopBit(write.time().duration());
    publish(begin, tag);
    file.next = write.endOffset();
    lastFile = file;
    lastEnd = time + write.time().duration();
    lastSize = write.size();
    lastKind = kind;
  }

  private FileState name(final String file) {
    final byte[] name = FileName.encode(file);
    final long begin = begin();
    final int length = Math.min(name.length, PartDescriptor.MAX_PATH_LENGTH);
    out.writeStopBit(length);
    out.write(name, 0, length);
    publish(begin, PartDescriptor.FILE);
    return new FileState(files.size());
  }

  private long begin() {
    final long begin = out.writePosition();
    out.writeByte((byte) 0);
    return begin;
  }

  private void publish(final long begin, final int tag) {
    VarHandle.releaseFence();
    out.writeByte(begin, (byte) tag);
  }

  @Override
  public void close() throws IOException {
    final long end = out.writePosition();
    out.writeOrderedLong(PartDescriptor.END_OFFSET, end);
    out.releaseLast();
    try (FileChannel file = FileChannel.open(path, WRITE)) {
      file.truncate(end);
    }
  }
}
