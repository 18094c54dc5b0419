package org.sluice.core.store.series;

import java.io.IOException;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.store.format.SealedJson;

/** The form of a log's entries as objects: sealed JSON, so that people can read them. */
final class LogEntryCodec {
  /**
   * The most bytes that an engine stores on a condition. Ten thousand nodes with long names fit.
   */
  static final int MAX_LENGTH = 1 << 20;

  private static final String FORMAT = "sluice series";
  private static final int VERSION = 1;

  private LogEntryCodec() {}

  /**
   * @param part the part that a commit {@linkplain LogEntry.Commit#whole has}; otherwise null
   */
  static byte[] encode(final LogEntry entry, final byte[] part) throws IOException {
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("format", FORMAT);
    members.put("version", VERSION);
    members.put(
        "id", HexFormat.of().toHexDigits(Entropy.nextLong())); // no two entries are the same
    switch (entry) {
      case LogEntry.Begin begin -> {
        members.put("entry", "begin");
        members.put("run", begin.run());
        members.put("previous", begin.previous());
        members.put("live", begin.live());
        putOrigin(members, begin.node(), begin.time());
      }
      case LogEntry.Commit commit -> {
        members.put("entry", "commit");
        members.put("begin", commit.begin());
        members.put("number", commit.number());
        members.put("round", commit.round());
        members.put("ranks", commit.ranks());
        members.put("parts", commit.parts());
        if (commit.whole()) {
          members.put("part", Base64.getEncoder().encodeToString(part));
        }
        putOrigin(members, commit.node(), commit.time());
      }
      case LogEntry.Remove remove -> {
        members.put("entry", "remove");
        members.put("begin", remove.begin());
        members.put("live", remove.live());
        putOrigin(members, remove.node(), remove.time());
      }
    }
    final byte[] bytes = SealedJson.encode(members);
    if (bytes.length > MAX_LENGTH) {
      throw new IOException(
          "an entry of the log would have %d bytes, more than it can have; remove old checkpoints"
              .formatted(bytes.length));
    }
    return bytes;
  }

  private static void putOrigin(
      final Map<String, Object> members, final String node, final Instant time) {
    members.put("node", node);
    members.put("time", time.toEpochMilli());
  }

  static LogEntry decode(final String object, final byte[] bytes) throws IOException {
    return decode(object, bytes, LogEntryCodec::entry);
  }

  /** Returns the part that a commit {@linkplain LogEntry.Commit#whole has}. */
  static byte[] decodePart(final String object, final byte[] bytes) throws IOException {
    return decode(object, bytes, members -> Base64.getDecoder().decode(text(members, "part")));
  }

  private static <T> T decode(
      final String object, final byte[] bytes, final Function<Map<String, Object>, T> reading)
      throws IOException {
    final Map<String, Object> members = SealedJson.decode(object, bytes);
    try {
      if (FORMAT.equals(members.get("format"))) {
        final int version = Math.toIntExact(number(members, "version"));
        if (version != VERSION) {
          throw FormatVersionException.of(object, version, VERSION);
        }
        return reading.apply(members);
      }
    } catch (final RuntimeException e) { // a member of another type, or a missing one
      final DamagedException damage = new DamagedException(object, 0, "a member is impossible");
      damage.initCause(e);
      throw damage;
    }
    throw new DamagedException(object, 0, "it is no entry of a series' log");
  }

  private static LogEntry entry(final Map<String, Object> members) {
    final String node = text(members, "node");
    final Instant time = Instant.ofEpochMilli(number(members, "time"));
    return switch ((String) members.get("entry")) {
      case "begin" ->
          new LogEntry.Begin(
              text(members, "run"),
              number(members, "previous"),
              numbers(members, "live"),
              node,
              time);
      case "commit" -> commit(members, node, time);
      case "remove" ->
          new LogEntry.Remove(number(members, "begin"), numbers(members, "live"), node, time);
      default -> throw new IllegalArgumentException();
    };
  }

  private static LogEntry.Commit commit(
      final Map<String, Object> members, final String node, final Instant time) {
    final LogEntry.Commit commit =
        new LogEntry.Commit(
            number(members, "begin"),
            number(members, "number"),
            number(members, "round"),
            Math.toIntExact(number(members, "ranks")),
            list(members, "parts").stream().map(String.class::cast).toList(),
            members.containsKey("part"),
            node,
            time);
    check(commit.begin() > 0 && commit.number() >= 0 && commit.round() >= 0);
    final PartSet parts = new PartSet();
    commit.keys().forEach(key -> check(parts.add(key)));
    check(commit.ranks() > 0 && parts.missing(commit.ranks()).isEmpty());
    check(!commit.whole() || commit.parts().size() == 1);
    return commit;
  }

  private static void check(final boolean possible) {
    if (!possible) {
      throw new IllegalArgumentException();
    }
  }

  private static String text(final Map<String, Object> members, final String name) {
    return Objects.requireNonNull((String) members.get(name));
  }

  private static long number(final Map<String, Object> members, final String name) {
    return (Long) members.get(name);
  }

  private static List<Long> numbers(final Map<String, Object> members, final String name) {
    return list(members, name).stream().map(Long.class::cast).map(Objects::requireNonNull).toList();
  }

  private static List<?> list(final Map<String, Object> members, final String name) {
    return (List<?>) members.get(name);
  }
}
