package org.sluice.profile.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import net.openhft.chronicle.bytes.MappedBytes;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.FileName;

/** A reader of one part of a recorded trace, all of whose bytes may be wrong. */
final class TracePartReader {
  private static final int LONGEST_WRITE = 64;

  private final Path path;
  private final MappedBytes in;
  private final List<String> files = new ArrayList<>();
  private final List<Long> nextOffsets = new ArrayList<>();
  private TracedProcess origin;
  private long clockDifference;
  private int lastFile = -1;
  private long lastEnd;
  private long lastSize;
  private int lastKind;

  private TracePartReader(final Path path, final MappedBytes in) {
    this.path = path;
    this.in = in;
  }

  static void read(final Path path, final Omissions omissions, final Consumer<Write> sink)
      throws IOException {
    final long length = Files.size(path);
    if (length == 0) {
      noteNothing(path, omissions);
      return;
    }
    if (length < PartDescriptor.LENGTH) {
      throw new DamagedException(path.toString(), length, "the header of the trace is cut");
    }
    final MappedBytes in = MappedBytes.singleMappedBytes(path.toFile(), length, true);
    try {
      in.readLimit(length);
      new TracePartReader(path, in).read(omissions, sink);
    } finally {
      in.releaseLast();
    }
  }

  private void read(final Omissions omissions, final Consumer<Write> sink) throws IOException {
    if (!readHeader(omissions)) {
      return;
    }
    long begin = in.readPosition();
    try {
      while (in.readRemaining() > 0 && in.peekUnsignedByte() != 0) {
        begin = in.readPosition();
        readRecord(sink);
      }
      if (hasUnpublishedBytes()) {
        omissions.skip(place(in.readPosition()), "the process died while it wrote this record");
      }
    } catch (final BufferUnderflowException e) {
      omissions.skip(place(begin), "the record is cut, and nothing follows");
    } catch (final DamagedException e) {
      omissions.skip(place(begin), e.reason() + "; the rest of the part was not read");
    }
  }

  /** Returns false when the process died before the header was there. */
  private boolean readHeader(final Omissions omissions) throws IOException {
    final long magic = in.readLong(PartDescriptor.MAGIC_OFFSET);
    final int version = in.readVolatileInt(PartDescriptor.VERSION_OFFSET);
    if (magic != PartDescriptor.MAGIC) {
      throw new DamagedException(path.toString(), 0, "it is not a part of a trace");
    }
    if (version == 0) {
      noteNothing(path, omissions);
      return false;
    }
    if (version != PartDescriptor.VERSION) {
      throw FormatVersionException.of(path.toString(), version, PartDescriptor.VERSION);
    }
    origin =
        new TracedProcess(
            readHost(),
            in.readInt(PartDescriptor.PID_OFFSET),
            in.readInt(PartDescriptor.RANK_OFFSET));
    lastEnd = in.readLong(PartDescriptor.MONOTONIC_OFFSET);
    clockDifference = in.readLong(PartDescriptor.REALTIME_OFFSET) - lastEnd;
    readEnd(omissions);
    return true;
  }

  private static void noteNothing(final Path path, final Omissions omissions) {
    omissions.note(path.getFileName() + ": the process died before it wrote anything");
  }

  private String readHost() throws DamagedException {
    final int length = in.readInt(PartDescriptor.HOST_OFFSET);
    if (length < 0 || length > PartDescriptor.MAX_HOST_LENGTH) {
      throw new DamagedException(
          path.toString(), PartDescriptor.HOST_OFFSET, "the host's name is impossible");
    }
    final byte[] name = new byte[length];
    in.readPosition(PartDescriptor.HOST_OFFSET + (long) Integer.BYTES);
    in.read(name);
    return new String(name, UTF_8);
  }

  private void readEnd(final Omissions omissions) {
    final long end = in.readVolatileLong(PartDescriptor.END_OFFSET);
    final long lost = in.readLong(PartDescriptor.LOST_OFFSET);
    in.readPosition(PartDescriptor.LENGTH);
    if (end == 0) {
      omissions.note(origin.label() + " had not closed its trace: still running, or killed");
    } else if (end >= PartDescriptor.LENGTH && end <= in.readLimit()) {
      in.readLimit(end);
    }
    if (lost > 0) {
      omissions.note(origin.label() + " could not record " + lost + " writes");
    }
  }

  private void readRecord(final Consumer<Write> sink) throws DamagedException {
    final int tag = in.readUnsignedByte();
    if (tag == PartDescriptor.FILE) {
      readFile();
    } else if ((tag & PartDescriptor.WRITE) != 0 && (tag & ~PartDescriptor.WRITE_BITS) == 0) {
      sink.accept(readWrite(tag));
    } else {
      throw damaged("no record has tag 0x%02x".formatted(tag));
    }
  }

  private void readFile() throws DamagedException {
    final byte[] name = new byte[(int) number(PartDescriptor.MAX_PATH_LENGTH)];
    if (in.readRemaining() < name.length) {
      throw new BufferUnderflowException();
    }
    in.read(name);
    files.add(FileName.decode(name));
    nextOffsets.add(0L);
  }

  private Write readWrite(final int tag) throws DamagedException {
    if ((tag & PartDescriptor.SAME_FILE) == 0) {
      lastFile = (int) number(Integer.MAX_VALUE);
    }
    if (lastFile < 0 || lastFile >= files.size()) {
      throw damaged("a write of a file without a name");
    }
    long offset = nextOffsets.get(lastFile);
    if ((tag & PartDescriptor.SEQUENTIAL) == 0) {
      offset += PartDescriptor.unzigzag(number(Long.MAX_VALUE));
    }
    if ((tag & PartDescriptor.SAME_SIZE) == 0) {
      lastSize = number(Long.MAX_VALUE);
    }
    if ((tag & PartDescriptor.SAME_KIND) == 0) {
      lastKind = in.readUnsignedByte();
    }
    final long time = lastEnd + PartDescriptor.unzigzag(number(Long.MAX_VALUE));
    final long duration = number(Long.MAX_VALUE);
    if (offset < 0 || offset + lastSize < offset) {
      throw damaged("a write outside every file");
    }
    nextOffsets.set(lastFile, offset + lastSize);
    lastEnd = time + duration;
    return new Write(
        origin,
        files.get(lastFile),
        Call.of(lastKind & 0xf),
        Route.of(lastKind >> 4),
        new CallTime(time + clockDifference, duration),
        offset,
        lastSize);
  }

  private long number(final long most) throws DamagedException {
    final long number;
    try {
      number = in.readStopBit();
    } catch (final IllegalStateException e) {
      throw damaged("a number without an end");
    }
    if (number < 0 || number > most) {
      throw damaged("an impossible number");
    }
    return number;
  }

  private boolean hasUnpublishedBytes() {
    final long end = Math.min(in.readLimit(), in.readPosition() + LONGEST_WRITE);
    for (long position = in.readPosition(); position < end; position++) {
      if (in.readByte(position) != 0) {
        return true;
      }
    }
    return false;
  }

  private DamagedException damaged(final String reason) {
    return new DamagedException(path.toString(), in.readPosition(), reason);
  }

  private String place(final long position) {
    return "%s, byte %d".formatted(path.getFileName(), position);
  }
}
