package org.sluice.iop.journal;

import java.nio.BufferUnderflowException;
import net.openhft.chronicle.bytes.Bytes;
import org.sluice.core.posix.FileName;
import org.sluice.core.store.model.RankSet;

/** The codec of those fields of entries that are no numbers. {@link EntryFields} uses it. */
final class EntryCodec {
  private EntryCodec() {}

  static void writeText(final Bytes<?> out, final String text) {
    final byte[] bytes = FileName.encode(text);
    out.writeInt(bytes.length).write(bytes);
  }

  static String readText(final Bytes<?> in) {
    final int length = in.readInt();
    if (length < 0 || length > in.readRemaining()) {
      throw new BufferUnderflowException();
    }
    final byte[] bytes = new byte[length];
    in.read(bytes);
    return FileName.decode(bytes);
  }

  static RankSet readRanks(final Bytes<?> in) {
    return RankSet.parse(readText(in)).orElseThrow(BufferUnderflowException::new);
  }

  static <T> T readOne(final Bytes<?> in, final T[] all) {
    final int index = in.readInt();
    if (index < 0 || index >= all.length) {
      throw new BufferUnderflowException();
    }
    return all[index];
  }
}
