package org.sluice.core.store.series;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.agrona.IoUtil;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.fuzz.Mutation;
import org.sluice.core.fuzz.Outcome;
import org.sluice.core.store.format.SealedJson;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.Engine;

/** What lies in a series and may hold anything: with its crc wrong, and with its crc made right. */
class SeriesFuzzTest {
  private static final int CRC = ",\"crc\":\"00000000\"}\n".length();
  private static final Instant TIME = Instant.ofEpochMilli(1000);

  @Provide
  Arbitrary<List<Mutation>> mutations() {
    return Mutation.several();
  }

  @Property
  void entryIsReadOrRefused(
      @ForAll("mutations") final List<Mutation> mutations,
      @ForAll final boolean crcIsRight,
      @ForAll final int kind)
      throws IOException {
    final List<LogEntry> kinds =
        List.of(
            new LogEntry.Begin("run", 3, List.of(4L, 5L), "b17", TIME),
            new LogEntry.Commit(6, 7, 1, 4, List.of("b17.0-2+2", "b18.1,3"), false, "b18", TIME),
            new LogEntry.Commit(6, 7, 1, 4, List.of("b17.0-3"), true, "b17", TIME),
            new LogEntry.Remove(6, List.of(5L, 7L), "b17", TIME));
    final byte[] bytes =
        Mutation.apply(
            LogEntryCodec.encode(kinds.get(Math.floorMod(kind, 4)), new byte[] {1, 2, 3}),
            mutations);
    if (crcIsRight && bytes.length > CRC) {
      seal(bytes);
    }
    Outcome.isReadOrRefused("the-entry", () -> LogEntryCodec.decode("the-entry", bytes));
  }

  private static void seal(final byte[] bytes) {
    final int end = bytes.length - CRC;
    final CRC32C crc = new CRC32C();
    crc.update(bytes, 0, end);
    final byte[] member =
        ",\"crc\":\"%08x\"}\n".formatted(crc.getValue()).getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(member, 0, bytes, end, CRC);
  }

  @Property
  void keyIsReadOrNone(@ForAll("mutations") final List<Mutation> mutations) {
    final RankSet ranks = RankSet.of(IntStream.of(0, 2, 4));
    final String key =
        new PartKey(1, 2, 3, "b17", 4, ranks, new RequiredRanks(ranks, 7)).toString();
    final byte[] bytes = Mutation.apply(key.getBytes(StandardCharsets.ISO_8859_1), mutations);
    final String text = new String(bytes, StandardCharsets.ISO_8859_1);
    PartKey.parse(text).ifPresent(part -> assertThat(part.ranks().size()).isLessThan(1 << 24));
    DataKey.parse(text);
  }

  /** Found once: it took all of the stack. */
  @Example
  void aKeyOfManyNamesIsRead() {
    assertThat(PartKey.parse("part/1-2-3/b17.0-3" + "/1".repeat(200_000))).isPresent();
  }

  /** What a member cannot be, each under a crc that is right. */
  @Example
  void impossibleMembersAreRefused() throws IOException {
    final Map<String, Object> commit = members(4);
    for (final Map.Entry<String, Object> wrong :
        Map.of(
                "node", 4,
                "begin", "x",
                "number", -1,
                "ranks", 5,
                "parts", List.of())
            .entrySet()) {
      refused(commit, wrong.getKey(), wrong.getValue());
    }
    refused(commit, "parts", List.of("b17.0-3", "b18.3"));
    refused(commit, "parts", List.of("b17.0-3", "b17.0-3"));
    refused(commit, "parts", List.of("b17.0-2"));
    refused(commit, "parts", List.of("../../b17.0-3/.."));
    refused(commit, "parts", List.of("b17." + "0-16777215,".repeat(50_000) + "1"));
    final Map<String, Object> noNode = new HashMap<>(commit);
    noNode.remove("node");
    assertThatThrownBy(() -> LogEntryCodec.decode("it", SealedJson.encode(noNode)))
        .isInstanceOf(DamagedException.class);
  }

  private static void refused(
      final Map<String, Object> members, final String name, final Object value) throws IOException {
    assertThat(LogEntryCodec.decode("it", SealedJson.encode(members))).isNotNull();
    final Map<String, Object> wrong = new LinkedHashMap<>(members);
    wrong.put(name, value);
    final byte[] bytes = SealedJson.encode(wrong);
    assertThatThrownBy(() -> LogEntryCodec.decode("it", bytes))
        .as(name)
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining("impossible");
  }

  private static Map<String, Object> members(final int ranks) {
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("format", "sluice series");
    members.put("version", 1);
    members.put("entry", "commit");
    members.put("begin", 1);
    members.put("number", 1);
    members.put("round", 0);
    members.put("ranks", ranks);
    members.put("parts", List.of("b17.0-%d".formatted(ranks - 1)));
    members.put("node", "b17");
    members.put("time", 0);
    return members;
  }

  /** Found once: it was looked for without an end. */
  @Example
  void anEntryThatNamesWhatIsNotBeforeItIsRefused() throws IOException {
    for (final LogEntry entry :
        List.of(
            new LogEntry.Begin("run", 1, List.of(), "b17", TIME),
            new LogEntry.Begin("run", 9, List.of(), "b17", TIME),
            new LogEntry.Begin("run", -1, List.of(), "b17", TIME),
            new LogEntry.Begin("run", 0, List.of(1L), "b17", TIME),
            new LogEntry.Begin("run", 0, List.of(-1L), "b17", TIME))) {
      final Path directory = Files.createTempDirectory("sluice-fuzz");
      try (Engine engine = DirectoryEngine.of(directory)) {
        engine.put("log/0000000001", List.of(ByteBuffer.wrap(LogEntryCodec.encode(entry, null))));
        assertThatThrownBy(() -> SeriesRun.join(engine, "another", "b18"))
            .isInstanceOf(DamagedException.class)
            .hasMessageContaining("log/0000000001");
      } finally {
        IoUtil.delete(directory.toFile(), false);
      }
    }
  }
}
