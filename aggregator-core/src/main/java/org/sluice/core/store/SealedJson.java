package org.sluice.core.store;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.CRC32C;
import org.sluice.core.chunk.DamagedException;

/**
 * A JSON object whose last member is the crc of all bytes before that member, and stands in a fixed
 * form at the very end, so that every flipped bit is noticed. Manifests and entries of a series'
 * log are such.
 */
public final class SealedJson {
  private static final int CRC_LENGTH = crcMember(0).length;

  /** Who only reads need not wait until it is set up. */
  private static final class Writer {
    static final JSON PRETTY =
        JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT, JSON.Feature.PRESERVE_FIELD_ORDERING);
  }

  private SealedJson() {}

  /**
   * Writes one.
   *
   * @param members in their order: texts, whole numbers, truth values, and lists of those
   * @return its bytes
   * @throws IOException when a member is something else
   */
  public static byte[] encode(final Map<String, Object> members) throws IOException {
    final String json = Writer.PRETTY.asString(members).stripTrailing();
    final byte[] open = json.substring(0, json.length() - 1).getBytes(StandardCharsets.UTF_8);
    final byte[] all = Arrays.copyOf(open, open.length + CRC_LENGTH);
    System.arraycopy(crcMember(crc(open, open.length)), 0, all, open.length, CRC_LENGTH);
    return all;
  }

  /**
   * Reads one.
   *
   * @param file what messages call it
   * @param bytes all of it
   * @return its members, the crc included; whole numbers are {@code Long}
   * @throws DamagedException when it is something else
   */
  public static Map<String, Object> decode(final String file, final byte[] bytes)
      throws DamagedException {
    final int end = bytes.length - CRC_LENGTH;
    if (end < 0 || bytes[0] != '{') {
      throw new DamagedException(file, 0, "it is not what belongs there");
    }
    final byte[] member = crcMember(crc(bytes, end));
    if (!Arrays.equals(member, 0, CRC_LENGTH, bytes, end, bytes.length)) {
      throw new DamagedException(file, end, "the crc does not match");
    }
    try {
      return JsonText.members(bytes);
    } catch (final IOException e) {
      throw new DamagedException(file, 0, "it is no JSON of a store");
    }
  }

  private static byte[] crcMember(final int crc) {
    final String member = ",\"crc\":\"" + HexFormat.of().toHexDigits(crc) + "\"}\n";
    return member.getBytes(StandardCharsets.UTF_8);
  }

  private static int crc(final byte[] bytes, final int length) {
    final CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
