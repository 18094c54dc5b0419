package org.sluice.iop.journal;

import java.nio.BufferUnderflowException;
import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import net.openhft.chronicle.bytes.Bytes;
import org.sluice.core.store.ChunkLocation;

/**
 * A whole ledger as bytes, with which a rewritten journal begins. What is an entry as well is
 * written as that one is.
 */
final class SnapshotCodec {
  private SnapshotCodec() {}

  /** Appends what a ledger knows; the same knowledge is always the same bytes. */
  static void write(final Bytes<?> out, final Ledger ledger) {
    out.writeInt(ledger.lastImage()).writeLong(ledger.lastAttempt()).writeInt(ledger.kills());
    out.writeInt(ledger.members()).writeInt(flag(ledger.memberFailed()));
    writeAll(out, ledger.slots(), slot -> EntryCodec.write(out, slot));
    writeAll(
        out,
        ledger.positions().entrySet(),
        position -> out.writeInt(position.getKey()).writeLong(position.getValue()));
    writeAll(out, ledger.lastRequests(), request -> EntryCodec.write(out, request));
    writeAll(out, ledger.images(), image -> writeImage(out, image));
    writeAll(out, ledger.pending(), entry -> EntryCodec.write(out, entry));
    writeCounts(out, ledger.taken());
    writeCounts(out, ledger.drained());
    writeAll(out, ledger.checkpoints().entrySet(), checkpoint -> writeCheckpoint(out, checkpoint));
    writeAll(out, ledger.commits(), commit -> EntryCodec.write(out, commit));
    writeAll(out, ledger.groups().entrySet(), group -> writeGroup(out, group));
    writeAll(out, ledger.failedCommits().byNumber().entrySet(), failed -> writeFailed(out, failed));
  }

  private static <T> void writeAll(
      final Bytes<?> out, final Collection<T> all, final Consumer<T> each) {
    out.writeInt(all.size());
    all.forEach(each);
  }

  private static int flag(final boolean is) {
    return is ? 1 : 0;
  }

  private static void writeCounts(final Bytes<?> out, final Map<Integer, Integer> counts) {
    writeAll(
        out, counts.entrySet(), count -> out.writeInt(count.getKey()).writeInt(count.getValue()));
  }

  private static void writeOptional(final Bytes<?> out, final Entry entry) {
    out.writeInt(flag(entry != null));
    if (entry != null) {
      EntryCodec.write(out, entry);
    }
  }

  private static void writeImage(final Bytes<?> out, final ImageFacts image) {
    EntryCodec.write(out, image.admitted());
    writeOptional(out, image.created());
    writeOptional(out, image.writtenBy());
    out.writeInt(flag(image.wasWriterKilled())).writeInt(image.state());
    out.writeInt(flag(image.isAbandoned()));
    out.writeInt(flag(image.isCommitted())).writeInt(flag(image.isInPlace()));
    out.writeInt(flag(image.isDirect())).writeLong(image.size());
    writeCounts(out, image.openings());
    writeAll(out, image.writers(), out::writeInt);
    writeAll(
        out,
        image.chunks(),
        at ->
            out.writeLong(at.container())
                .writeLong(at.position())
                .writeInt(at.used())
                .writeInt(at.crc()));
    writeAll(
        out,
        image.marks(),
        mark -> out.writeInt(mark.chunk()).writeInt(mark.generation()).writeInt(mark.end()));
  }

  private static void writeCheckpoint(
      final Bytes<?> out, final Map.Entry<Long, CheckpointFacts> checkpoint) {
    out.writeLong(checkpoint.getKey());
    EntryCodec.writeScope(out, checkpoint.getValue().scope());
    writeAll(out, checkpoint.getValue().members(), image -> EntryCodec.write(out, image));
    writeAll(out, checkpoint.getValue().complete(), out::writeInt);
  }

  private static void writeGroup(final Bytes<?> out, final Map.Entry<Long, GroupFacts> group) {
    final GroupFacts facts = group.getValue();
    out.writeLong(group.getKey());
    out.writeInt(flag(facts.hasChanged())).writeInt(flag(facts.isRewriting()));
    writeAll(
        out,
        facts.members().entrySet(),
        member -> {
          out.writeInt(member.getKey()).writeInt(flag(facts.unchanged().contains(member.getKey())));
          EntryCodec.writeText(out, member.getValue());
        });
  }

  private static void writeFailed(final Bytes<?> out, final Map.Entry<Long, Entry.Ended> failed) {
    out.writeLong(failed.getKey());
    EntryCodec.write(out, failed.getValue());
  }

  /**
   * Reads a snapshot into a ledger that knows nothing yet.
   *
   * @throws BufferUnderflowException when it makes no sense
   */
  static void read(final Bytes<?> in, final Ledger ledger) {
    ledger.count(in.readInt(), in.readLong(), in.readInt(), in.readInt(), EntryCodec.readFlag(in));
    times(in, () -> ledger.enter(entry(in, Entry.Attached.class)));
    times(in, () -> ledger.positions().put(in.readInt(), in.readLong()));
    times(in, () -> ledger.requested(EntryCodec.read(in)));
    times(in, () -> ledger.enter(readImage(in)));
    times(in, () -> ledger.pending().add(EntryCodec.read(in)));
    times(in, () -> ledger.taken().put(in.readInt(), in.readInt()));
    times(in, () -> ledger.drained().put(in.readInt(), in.readInt()));
    times(in, () -> ledger.checkpoints().put(in.readLong(), readCheckpoint(in)));
    times(in, () -> ledger.underWay(entry(in, Entry.Committing.class)));
    times(in, () -> ledger.enter(in.readLong(), readGroup(in)));
    times(in, () -> ledger.failedCommits().add(in.readLong(), entry(in, Entry.Ended.class)));
  }

  private static void times(final Bytes<?> in, final Runnable one) {
    for (int left = in.readInt(); left > 0; left--) {
      one.run();
    }
  }

  private static <T extends Entry> T entry(final Bytes<?> in, final Class<T> type) {
    final Entry entry = EntryCodec.read(in);
    if (!type.isInstance(entry)) {
      throw new BufferUnderflowException();
    }
    return type.cast(entry);
  }

  private static <T extends Entry> T optional(final Bytes<?> in, final Class<T> type) {
    return EntryCodec.readFlag(in) ? entry(in, type) : null;
  }

  private static ImageFacts readImage(final Bytes<?> in) {
    final ImageFacts image =
        new ImageFacts(
            entry(in, Entry.Admitted.class),
            optional(in, Entry.Created.class),
            optional(in, Entry.Attached.class),
            EntryCodec.readFlag(in));
    image.state(in.readInt());
    image.is(
        EntryCodec.readFlag(in),
        EntryCodec.readFlag(in),
        EntryCodec.readFlag(in),
        EntryCodec.readFlag(in),
        in.readLong());
    times(in, () -> image.openings().put(in.readInt(), in.readInt()));
    times(in, () -> image.writers().add(in.readInt()));
    times(
        in,
        () ->
            image
                .chunks()
                .add(new ChunkLocation(in.readLong(), in.readLong(), in.readInt(), in.readInt())));
    times(in, () -> image.mark(new Entry.Mark(in.readInt(), in.readInt(), in.readInt())));
    return image;
  }

  private static CheckpointFacts readCheckpoint(final Bytes<?> in) {
    final CheckpointFacts checkpoint = new CheckpointFacts(EntryCodec.readScope(in));
    times(in, () -> checkpoint.created(entry(in, Entry.Created.class)));
    times(in, () -> checkpoint.complete(in.readInt()));
    return checkpoint;
  }

  private static GroupFacts readGroup(final Bytes<?> in) {
    final GroupFacts group = new GroupFacts(EntryCodec.readFlag(in), EntryCodec.readFlag(in));
    times(
        in,
        () -> {
          final int image = in.readInt();
          final boolean same = EntryCodec.readFlag(in);
          group.add(image, EntryCodec.readText(in), same);
        });
    return group;
  }
}
