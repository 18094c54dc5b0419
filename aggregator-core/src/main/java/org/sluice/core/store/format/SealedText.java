package org.sluice.core.store.format;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.FileName;

/**
 * A small file that begins with the crc of the text after it, in eight hex digits and a blank. A
 * file with lists or several members is {@link SealedJson}.
 */
public final class SealedText {
  private static final int CRC_LENGTH = 9;

  private SealedText() {}

  public static byte[] encode(final String text) {
    return FileName.encode(crc(text) + text);
  }

  /** Returns the text that {@link #encode} was given; empty for damaged or other bytes. */
  public static Optional<String> decode(final byte[] bytes) {
    final String all = FileName.decode(bytes);
    return all.length() > CRC_LENGTH && all.startsWith(crc(all.substring(CRC_LENGTH)))
        ? Optional.of(all.substring(CRC_LENGTH))
        : Optional.empty();
  }

  /**
   * Reads a file that nothing depends on.
   *
   * @throws DamagedException when it is missing, or damaged
   */
  public static String read(final Path path, final int most) throws IOException {
    return decode(path.toString(), StoredFile.readAll(path, most));
  }

  /**
   * Returns the text of an object that was read.
   *
   * @throws DamagedException when it is damaged
   */
  public static String decode(final String object, final byte[] bytes) throws DamagedException {
    return decode(bytes).orElseThrow(() -> damaged(object));
  }

  /** Returns the damage of a file. Its deletion mends it, as nothing depends on it. */
  public static DamagedException damaged(final String object) {
    return new DamagedException(
        object, 0, "the crc does not match; delete it, as nothing needs it");
  }

  private static String crc(final String text) {
    final CRC32C crc = new CRC32C();
    crc.update(FileName.encode(text));
    return "%08x ".formatted(crc.getValue());
  }
}
