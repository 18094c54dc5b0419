package org.sluice.core.store.format;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.sluice.core.chunk.DamagedException;

/**
 * A JSON object whose last member is the crc of all bytes before that member. The member stands in
 * a fixed form at the very end, so that every flipped bit is noticed. Manifests, entries of a
 * series' log and the lines of a log that people read have this form.
 */
public final class SealedJson {
  private static final int CRC_LENGTH = crcMember(0).length;
  private static final int MOST_OF_LINES = 1 << 26;

  /** The member of the crc: either half of it is enough. */
  private static final Pattern CRC = Pattern.compile(",\"crc\":\"|[0-9a-f]{8}\"}\n");

  /** The writer, set up late so that a process that only reads need not wait for it. */
  private static final class Writer {
    static final JSON PRETTY =
        JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT, JSON.Feature.PRESERVE_FIELD_ORDERING);
  }

  private SealedJson() {}

  /**
   * @param members members in their order: texts, whole numbers, truth values, and lists of those
   */
  public static byte[] encode(final Map<String, Object> members) throws IOException {
    return sealed(Writer.PRETTY.asString(members).stripTrailing());
  }

  private static byte[] sealed(final String json) {
    final byte[] open = json.substring(0, json.length() - 1).getBytes(StandardCharsets.UTF_8);
    final byte[] all = Arrays.copyOf(open, open.length + CRC_LENGTH);
    System.arraycopy(crcMember(crc(open, open.length)), 0, all, open.length, CRC_LENGTH);
    return all;
  }

  /**
   * @return members, the crc included; whole numbers are {@code Long}
   * @throws DamagedException when it is something else
   */
  public static Map<String, Object> decode(final String file, final byte[] bytes)
      throws DamagedException {
    check(file, bytes);
    try {
      return JsonText.members(bytes);
    } catch (final IOException e) {
      throw new DamagedException(file, 0, "it is no JSON of a store");
    }
  }

  private static void check(final String file, final byte[] bytes) throws DamagedException {
    final int end = bytes.length - CRC_LENGTH;
    if (end < 0 || bytes[0] != '{') {
      throw new DamagedException(file, 0, "it is not what belongs there");
    }
    final byte[] member = crcMember(crc(bytes, end));
    if (!Arrays.equals(member, 0, CRC_LENGTH, bytes, end, bytes.length)) {
      throw new DamagedException(file, end, "the crc does not match");
    }
  }

  public static byte[] line(final Map<String, Object> members) throws IOException {
    return sealed(JSON.std.asString(members));
  }

  /**
   * Reads a file of such lines. Bytes after the last newline were cut by a crash, and are left out.
   *
   * @param damage told of each line that is something else
   * @return members of the others, without the crc; whole numbers are {@code Long}, others {@code
   *     Double}
   * @throws DamagedException when no file is there
   */
  public static List<Map<String, Object>> lines(final Path path, final Consumer<IOException> damage)
      throws IOException {
    final byte[] all = StoredFile.readAll(path, MOST_OF_LINES);
    final List<Map<String, Object>> lines = new ArrayList<>();
    int begin = 0;
    for (int at = 0; at < all.length; at++) {
      if (all[at] == '\n') {
        try {
          lines.add(decodeLine(Arrays.copyOfRange(all, begin, at + 1)));
        } catch (final IOException e) {
          damage.accept(
              new DamagedException(
                  path.toString(),
                  begin,
                  "a line is damaged; no restart needs it, and the next sluice mpi there deletes it"));
        }
        begin = at + 1;
      }
    }
    return lines;
  }

  /** Returns an error for each line of a file that is something else. */
  public static List<IOException> damageOf(final Path path) throws IOException {
    final List<IOException> damage = new ArrayList<>();
    try {
      lines(path, damage::add);
    } catch (final DamagedException e) {
      if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        damage.add(e);
      }
    }
    return damage;
  }

  /** A line of an older Sluice has no crc. No flipped bit makes a line look like that. */
  private static Map<String, Object> decodeLine(final byte[] line) throws IOException {
    final String text = new String(line, StandardCharsets.UTF_8);
    if (CRC.matcher(text).find()) {
      check("", line);
    }
    final Map<String, Object> members = JsonText.membersWithFractions(text);
    members.remove("crc");
    return members;
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
