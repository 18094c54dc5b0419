package org.sluice.core.store;

import java.util.Optional;
import java.util.zip.CRC32C;
import org.sluice.core.posix.FileName;

/**
 * A line that begins with the crc of what is behind it, in eight hex digits and a blank. What has
 * lists or several members is {@link SealedJson}.
 */
final class SealedText {
  private static final int CRC_LENGTH = 9;

  private SealedText() {}

  /** Its bytes. */
  static byte[] encode(final String text) {
    return FileName.encode(crc(text) + text);
  }

  /** The text that {@link #encode} was given; empty where it was damaged, or is something else. */
  static Optional<String> decode(final byte[] bytes) {
    final String all = FileName.decode(bytes);
    return all.length() > CRC_LENGTH && all.startsWith(crc(all.substring(CRC_LENGTH)))
        ? Optional.of(all.substring(CRC_LENGTH))
        : Optional.empty();
  }

  private static String crc(final String text) {
    final CRC32C crc = new CRC32C();
    crc.update(FileName.encode(text));
    return "%08x ".formatted(crc.getValue());
  }
}
