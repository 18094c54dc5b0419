package org.sluice.core.segment;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.FreeSpace;
import org.sluice.core.posix.NativeFile;

/** The file of a segment: its making, its publication, its check and its mapping. */
final class SegmentFile {
  private SegmentFile() {}

  static void create(final Path file) throws IOException {
    final var mode = PosixFilePermissions.fromString("rw-------");
    Files.createFile(file, PosixFilePermissions.asFileAttribute(mode));
  }

  /** Sets the file's length, in whole blocks of its file system: hugetlbfs takes no other. */
  static long extend(final Path file, final long wanted) throws IOException {
    try (NativeFile created = NativeFile.open(file, NativeFile.Flag.WRITE)) {
      final FreeSpace room = created.room();
      final long length = (wanted + room.block() - 1) / room.block() * room.block();
      if (length > room.free()) {
        throw noRoom(created, length, room);
      }
      created.truncate(length);
      return length;
    }
  }

  static SegmentException noRoom(final NativeFile file, final long length, final FreeSpace room) {
    return new SegmentException(
        "no room for a segment of %d bytes, %d are free: %s; choose a smaller buffer"
            .formatted(length, room.free(), file.opened()),
        true);
  }

  /** Waits in stages (spin, yield, park) until the version is there; returns the file's length. */
  static long awaitPublication(final Path file, final Duration timeout) throws IOException {
    final long deadline = System.nanoTime() + timeout.toNanos();
    final BackoffIdleStrategy idle = new BackoffIdleStrategy();
    final ByteBuffer start = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel = FileChannel.open(file, READ)) {
      while (true) {
        start.clear();
        final boolean complete = channel.read(start, 0) == start.capacity();
        final long magic = complete ? start.getLong(HeaderDescriptor.MAGIC_OFFSET) : 0;
        final int version = complete ? start.getInt(HeaderDescriptor.VERSION_OFFSET) : 0;
        if (magic == HeaderDescriptor.MAGIC && version != 0) {
          return channel.size();
        }
        final boolean foreign = magic != 0 && magic != HeaderDescriptor.MAGIC;
        if (foreign || System.nanoTime() - deadline > 0) {
          throw new SegmentException(
              "not a segment, magic=%016x version=%d: %s; start an I/O process"
                  .formatted(magic, version, file));
        }
        idle.idle();
      }
    }
  }

  private static void checkVersion(final Path file, final int version)
      throws FormatVersionException {
    if (version != HeaderDescriptor.VERSION) {
      throw FormatVersionException.of("segment " + file, version, HeaderDescriptor.VERSION);
    }
  }

  static Geometry check(final Path file, final Header header, final long length)
      throws SegmentException, FormatVersionException {
    checkVersion(file, header.version());
    try {
      final Geometry geometry = header.geometry();
      if (length >= geometry.segmentLength() && header.isConsistent()) {
        return geometry;
      }
      throw damaged(file, "length=%d expected=%d".formatted(length, geometry.segmentLength()));
    } catch (final IllegalArgumentException e) {
      throw damaged(file, e.getMessage());
    }
  }

  private static SegmentException damaged(final Path file, final String what) {
    return new SegmentException(
        "segment truncated or damaged, %s: %s; start a new I/O process".formatted(what, file));
  }

  /** Maps the file for as long as an arena is open; returns the address. */
  static long map(final Path file, final long length, final Arena arena) throws IOException {
    if (length < HeaderDescriptor.LENGTH) {
      throw damaged(file, "length=%d".formatted(length));
    }
    try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena).address();
    }
  }
}
