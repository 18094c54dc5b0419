package org.sluice.iop.journal;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.sluice.core.chunk.Encoder;
import org.sluice.core.posix.FileName;
import org.sluice.core.store.model.RankSet;

/** The codec of those fields of entries that are no numbers. {@link EntryFields} uses it. */
final class EntryCodec {
  private EntryCodec() {}

  static void writeText(final Encoder out, final String text) {
    final byte[] bytes = FileName.encode(text);
    out.writeInt(bytes.length).write(bytes);
  }

  static String readText(final ByteBuffer in) {
    final int length = in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    final byte[] bytes = new byte[length];
    in.get(bytes);
    return FileName.decode(bytes);
  }

  static RankSet readRanks(final ByteBuffer in) {
    return RankSet.parse(readText(in)).orElseThrow(BufferUnderflowException::new);
  }

  static <T> T readOne(final ByteBuffer in, final T[] all) {
    final int index = in.getInt();
    if (index < 0 || index >= all.length) {
      throw new BufferUnderflowException();
    }
    return all[index];
  }
}
