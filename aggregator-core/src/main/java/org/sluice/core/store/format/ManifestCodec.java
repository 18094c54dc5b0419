package org.sluice.core.store.format;

import java.io.IOException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommitContent;
import org.sluice.core.store.model.CommitIdentity;
import org.sluice.core.store.model.CommitSource;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.JobCoverage;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.RankSet;

/** The codec of a checkpoint's manifest, whose presence commits it. */
public final class ManifestCodec {
  /**
   * The most bytes of a manifest, so that a foreign file in its place cannot take all memory. A
   * container takes 20 bytes.
   */
  public static final int MAX_LENGTH = 1 << 20;

  /**
   * The most ranks of a node, far beyond any. A few bytes of text can name more ranks than there is
   * memory for.
   */
  private static final int MOST_RANKS_OF_A_NODE = 1 << 18;

  private static final String FORMAT = "sluice manifest";
  private static final int VERSION = 3;

  // Up to version 2 "ungrouped" marked a checkpoint of files without a group at the end of a run,
  // never the newest.

  private ManifestCodec() {}

  public static byte[] encode(final Commit commit) throws IOException {
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("format", FORMAT);
    members.put("version", VERSION);
    members.put("number", commit.number());
    commit.name().ifPresent(name -> members.put("name", name));
    members.put("commit", hex(commit.id()));
    members.put("sequence", commit.identity().sequence());
    members.put("time", commit.identity().time().toEpochMilli());
    members.put("node", commit.source().node());
    members.put("job", commit.source().job());
    members.put("capture", commit.source().origin().capture());
    members.put("recurs", commit.source().origin().recurs());
    members.put("layout", commit.layout().toString());
    members.put("ranks", commit.coverage().ranks());
    members.put("part", commit.coverage().part().toString());
    members.put("complete", commit.completion().orElseThrow().label());
    members.put("session", hex(commit.source().sessionId()));
    members.put("run", hex(commit.source().sessionId()));
    members.put("round", 0);
    members.put("images", commit.content().images());
    members.put("bytes", commit.content().bytes());
    members.put(
        "containers", commit.content().containers().stream().map(ManifestCodec::hex).toList());
    members.put("before", commit.identity().before().stream().map(ManifestCodec::hex).toList());
    final byte[] all = SealedJson.encode(members);
    if (all.length > MAX_LENGTH) {
      throw new IOException(
          "checkpoint %d has chunks in %d containers, more than its manifest can name"
              .formatted(commit.number(), commit.content().containers().size()));
    }
    return all;
  }

  public static Commit decode(final String file, final byte[] bytes)
      throws DamagedException, FormatVersionException {
    final Map<String, Object> members = SealedJson.decode(file, bytes);
    try {
      return commit(file, members);
    } catch (final FormatVersionException e) {
      throw e;
    } catch (final IOException | RuntimeException e) {
      throw new DamagedException(file, 0, "a member is missing or impossible");
    }
  }

  private static Commit commit(final String file, final Map<String, Object> members)
      throws IOException {
    if (!FORMAT.equals(members.get("format"))) {
      throw new IOException();
    }
    final int version = integer(members, "version");
    if (version < 1 || version > VERSION) {
      throw FormatVersionException.of(file, version, VERSION);
    }
    return new Commit(
        new CommitIdentity(
            number(members, "number"),
            Long.parseUnsignedLong(string(members, "commit"), 16),
            members.containsKey("name") ? List.of(string(members, "name")) : List.of(),
            number(members, "sequence"),
            Instant.ofEpochMilli(number(members, "time")),
            members.containsKey("before") ? ids((List<?>) members.get("before")) : List.of()),
        new CommitSource(
            string(members, "node"),
            string(members, "job"),
            origin(members),
            Long.parseUnsignedLong(string(members, "session"), 16)),
        new JobCoverage(integer(members, "ranks"), part(members)),
        layout(string(members, "layout")),
        completion(members, version),
        version < VERSION && Boolean.TRUE.equals(members.get("ungrouped")),
        new CommitContent(
            integer(members, "images"),
            number(members, "bytes"),
            ids((List<?>) members.get("containers"))));
  }

  private static Layout layout(final String word) throws IOException {
    return Stream.of(Layout.values())
        .filter(layout -> layout.toString().equals(word))
        .findFirst()
        .orElseThrow(IOException::new);
  }

  private static Origin origin(final Map<String, Object> members) throws IOException {
    return members.containsKey("capture")
        ? new Origin(string(members, "capture"), (Boolean) members.get("recurs"))
        : Origin.UNKNOWN;
  }

  private static List<Long> ids(final List<?> all) {
    return all.stream().map(id -> Long.parseUnsignedLong((String) id, 16)).toList();
  }

  /** A manifest without the member has all ranks. */
  private static RankSet part(final Map<String, Object> members) throws IOException {
    final String ranks = members.containsKey("part") ? string(members, "part") : "";
    return RankSet.parse(ranks)
        .filter(part -> part.size() <= MOST_RANKS_OF_A_NODE)
        .orElseThrow(IOException::new);
  }

  /** Version 1 has none, and up to version 2 the end of a run completed the remaining files. */
  private static Optional<Completion> completion(
      final Map<String, Object> members, final int version) throws IOException {
    if (version == 1) {
      return Optional.empty();
    }
    final String label = string(members, "complete");
    return version == 2 && label.equals("end")
        ? Optional.empty()
        : Optional.of(Completion.of(label).orElseThrow(IOException::new));
  }

  private static String string(final Map<String, Object> members, final String name) {
    return Objects.requireNonNull((String) members.get(name));
  }

  private static long number(final Map<String, Object> members, final String name) {
    return ((Number) members.get(name)).longValue();
  }

  private static int integer(final Map<String, Object> members, final String name) {
    return Math.toIntExact(number(members, name));
  }

  private static String hex(final long id) {
    return HexFormat.of().toHexDigits(id);
  }
}
