package org.sluice.iop.journal;

import java.nio.BufferUnderflowException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.openhft.chronicle.bytes.Bytes;
import org.sluice.core.store.ChunkLocation;
import org.sluice.core.store.RankSet;

/** Entries as bytes: a type, then the fields in the order of the record. */
final class EntryCodec {
  private static final int ATTACHED = 1;
  private static final int DETACHED = 2;
  private static final int ADMITTED = 3;
  private static final int CREATED = 4;
  private static final int CHANGED = 5;
  private static final int OPENED = 6;
  private static final int CLOSED = 7;
  private static final int TAKEN = 8;
  private static final int DRAINED = 9;
  private static final int EMPTYING = 10;
  private static final int RESTARTED = 11;
  private static final int BEGUN = 12;
  private static final int COMPLETED = 13;
  private static final int COMMITTING = 14;
  private static final int ENDED = 15;
  private static final int REPLACED = 16;
  private static final int JOINED = 17;
  private static final int LEFT = 18;

  /** Not an entry: what the entries before added up to, see {@link SnapshotCodec}. */
  static final int SNAPSHOT = 19;

  private EntryCodec() {}

  /** Appends an entry to what is written so far. */
  static void write(final Bytes<?> out, final Entry entry) {
    switch (entry) {
      case Entry.Attached e -> {
        out.writeInt(ATTACHED).writeInt(e.slot()).writeInt(e.pid()).writeLong(e.startTime());
        out.writeInt(e.rank()).writeInt(e.ranks()).writeInt(e.localRanks());
        out.writeLong(e.generation()).writeLong(e.token()).writeInt(e.killsBefore());
      }
      case Entry.Detached e ->
          out.writeInt(DETACHED).writeInt(e.slot()).writeInt(e.killed() ? 1 : 0);
      case Entry.Admitted e -> {
        out.writeInt(ADMITTED).writeInt(e.image()).writeInt(e.entry());
        out.writeLong(e.device()).writeLong(e.inode()).writeLong(e.born()).writeInt(e.state());
        writeText(out, e.path());
      }
      case Entry.Created e -> {
        out.writeInt(CREATED).writeInt(e.image()).writeLong(e.checkpoint()).writeInt(e.rank());
        writeText(out, e.name());
      }
      case Entry.Changed e -> out.writeInt(CHANGED).writeInt(e.image()).writeInt(e.state());
      case Entry.Opened e -> {
        out.writeInt(OPENED).writeInt(e.image()).writeInt(e.slot());
        out.writeInt(e.writes() ? 1 : 0).writeLong(e.request());
      }
      case Entry.Closed e ->
          out.writeInt(CLOSED).writeInt(e.image()).writeInt(e.slot()).writeLong(e.position());
      case Entry.Taken e -> {
        out.writeInt(TAKEN).writeInt(e.slot()).writeInt(e.chunk()).writeInt(e.generation());
        out.writeInt(e.used()).writeLong(e.position());
      }
      case Entry.Drained e -> writeDrained(out, e);
      case Entry.Emptying e ->
          out.writeInt(EMPTYING).writeInt(e.image()).writeInt(e.fileToo() ? 1 : 0);
      case Entry.Restarted e -> writeRestarted(out, e);
      case Entry.Begun e -> {
        out.writeInt(BEGUN).writeLong(e.checkpoint());
        writeScope(out, e.scope());
      }
      case Entry.Completed e -> {
        out.writeInt(COMPLETED).writeLong(e.checkpoint()).writeInt(e.rank());
        out.writeInt(e.slot()).writeLong(e.request());
      }
      case Entry.Committing e -> writeCommitting(out, e);
      case Entry.Ended e -> {
        out.writeInt(ENDED).writeLong(e.attempt()).writeInt(e.errno());
        writeText(out, e.reason());
      }
      case Entry.Replaced e -> out.writeInt(REPLACED).writeInt(e.image()).writeInt(e.copy());
      case Entry.Joined e -> out.writeInt(JOINED);
      case Entry.Left e -> out.writeInt(LEFT).writeInt(e.succeeded() ? 1 : 0);
    }
  }

  private static void writeDrained(final Bytes<?> out, final Entry.Drained e) {
    out.writeInt(DRAINED).writeInt(e.chunk()).writeInt(e.generation());
    final ChunkLocation at = e.location() == null ? new ChunkLocation(0, 0, 0, 0) : e.location();
    out.writeLong(at.container()).writeLong(at.position()).writeInt(at.used()).writeInt(at.crc());
    out.writeInt(e.shares().size());
    e.shares().forEach(share -> out.writeInt(share.image()).writeLong(share.size()));
  }

  private static void writeRestarted(final Bytes<?> out, final Entry.Restarted e) {
    out.writeInt(RESTARTED).writeInt(e.image()).writeInt(e.cause().ordinal());
    out.writeInt(e.inPlace() ? 1 : 0).writeLong(e.size()).writeInt(e.marks().size());
    for (final Entry.Mark mark : e.marks()) {
      out.writeInt(mark.chunk()).writeInt(mark.generation()).writeInt(mark.end());
    }
  }

  private static void writeCommitting(final Bytes<?> out, final Entry.Committing e) {
    out.writeInt(COMMITTING).writeLong(e.attempt()).writeLong(e.checkpoint());
    out.writeInt(e.ranks());
    writeText(out, e.part().toString());
    out.writeInt(e.ungrouped() ? 1 : 0).writeInt(e.members().size());
    for (final Entry.Part part : e.members()) {
      out.writeInt(part.image()).writeInt(part.rank()).writeInt(part.ranks());
      writeText(out, part.path());
    }
  }

  static void writeScope(final Bytes<?> out, final Entry.Scope scope) {
    out.writeInt(scope.ranks()).writeInt(scope.expected()).writeInt(scope.spread() ? 1 : 0);
  }

  static void writeText(final Bytes<?> out, final String text) {
    final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length).write(bytes);
  }

  /**
   * Reads one entry.
   *
   * @throws BufferUnderflowException when it makes no sense
   */
  static Entry read(final Bytes<?> in) {
    return switch (in.readInt()) {
      case ATTACHED ->
          new Entry.Attached(
              in.readInt(),
              in.readInt(),
              in.readLong(),
              in.readInt(),
              in.readInt(),
              in.readInt(),
              in.readLong(),
              in.readLong(),
              in.readInt());
      case DETACHED -> new Entry.Detached(in.readInt(), readFlag(in));
      case ADMITTED ->
          new Entry.Admitted(
              in.readInt(),
              in.readInt(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readInt(),
              readText(in));
      case CREATED -> new Entry.Created(in.readInt(), in.readLong(), in.readInt(), readText(in));
      case CHANGED -> new Entry.Changed(in.readInt(), in.readInt());
      case OPENED -> new Entry.Opened(in.readInt(), in.readInt(), readFlag(in), in.readLong());
      case CLOSED -> new Entry.Closed(in.readInt(), in.readInt(), in.readLong());
      case TAKEN ->
          new Entry.Taken(in.readInt(), in.readInt(), in.readInt(), in.readInt(), in.readLong());
      case DRAINED -> readDrained(in);
      case EMPTYING -> new Entry.Emptying(in.readInt(), readFlag(in));
      case RESTARTED -> readRestarted(in);
      case BEGUN -> new Entry.Begun(in.readLong(), readScope(in));
      case COMPLETED ->
          new Entry.Completed(in.readLong(), in.readInt(), in.readInt(), in.readLong());
      case COMMITTING -> readCommitting(in);
      case ENDED -> new Entry.Ended(in.readLong(), in.readInt(), readText(in));
      case REPLACED -> new Entry.Replaced(in.readInt(), in.readInt());
      case JOINED -> new Entry.Joined();
      case LEFT -> new Entry.Left(readFlag(in));
      default -> throw new BufferUnderflowException();
    };
  }

  private static Entry readDrained(final Bytes<?> in) {
    final int chunk = in.readInt();
    final int generation = in.readInt();
    final ChunkLocation location =
        new ChunkLocation(in.readLong(), in.readLong(), in.readInt(), in.readInt());
    final List<Entry.Share> shares = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      shares.add(new Entry.Share(in.readInt(), in.readLong()));
    }
    return new Entry.Drained(
        chunk, generation, location.container() == 0 ? null : location, shares);
  }

  private static Entry readRestarted(final Bytes<?> in) {
    final int image = in.readInt();
    final Entry.Cause cause = readCause(in);
    final boolean inPlace = readFlag(in);
    final long size = in.readLong();
    final List<Entry.Mark> marks = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      marks.add(new Entry.Mark(in.readInt(), in.readInt(), in.readInt()));
    }
    return new Entry.Restarted(image, cause, inPlace, size, marks);
  }

  private static Entry.Cause readCause(final Bytes<?> in) {
    final Entry.Cause[] all = Entry.Cause.values();
    final int ordinal = in.readInt();
    if (ordinal < 0 || ordinal >= all.length) {
      throw new BufferUnderflowException();
    }
    return all[ordinal];
  }

  private static Entry readCommitting(final Bytes<?> in) {
    final long attempt = in.readLong();
    final long checkpoint = in.readLong();
    final int ranks = in.readInt();
    final RankSet part = readRanks(in);
    final boolean ungrouped = readFlag(in);
    final List<Entry.Part> members = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      final int image = in.readInt();
      final int rank = in.readInt();
      final int itsRanks = in.readInt();
      members.add(new Entry.Part(image, readText(in), rank, itsRanks));
    }
    return new Entry.Committing(attempt, checkpoint, ranks, part, ungrouped, members);
  }

  private static RankSet readRanks(final Bytes<?> in) {
    return RankSet.parse(readText(in)).orElseThrow(BufferUnderflowException::new);
  }

  static Entry.Scope readScope(final Bytes<?> in) {
    return new Entry.Scope(in.readInt(), in.readInt(), readFlag(in));
  }

  static boolean readFlag(final Bytes<?> in) {
    return in.readInt() != 0;
  }

  static String readText(final Bytes<?> in) {
    final int length = in.readInt();
    if (length < 0 || length > in.readRemaining()) {
      throw new BufferUnderflowException();
    }
    final byte[] bytes = new byte[length];
    in.read(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
