package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.agrona.BitUtil;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.fuzz.Mutation;
import org.sluice.core.fuzz.Outcome;
import org.sluice.core.posix.Extent;
import org.sluice.core.process.HugeMemory;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.disk.ContainerReader;
import org.sluice.core.store.format.ContainerDescriptor;
import org.sluice.core.store.format.ImagePath;
import org.sluice.core.store.format.IndexCodec;
import org.sluice.core.store.format.ManifestCodec;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommitContent;
import org.sluice.core.store.model.CommitIdentity;
import org.sluice.core.store.model.CommitSource;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.Holder;
import org.sluice.core.store.model.ImageAttributes;
import org.sluice.core.store.model.JobCoverage;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.Pieces;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.model.Sharing;

/** What lies in a store and may hold anything: with its crc wrong, and with its crc made right. */
class StoreFuzzTest {
  private static final long COMMIT = 5;
  private static final int MANIFEST_CRC = ",\"crc\":\"00000000\"}\n".length();
  private static Path directory;
  private static byte[] container;
  private static long containerId;
  private static ChunkLocation chunk;

  @BeforeContainer
  static void fill() throws IOException {
    directory = Files.createTempDirectory("sluice-fuzz");
    final Path store = directory.resolve("store");
    try (StoreFixture fixture = new StoreFixture(store, directory)) {
      chunk =
          fixture.append(
              fixture.chunk().write(1, 0, new byte[100]).direct(1, 500, 9).truncate(1, 700));
      containerId = chunk.container();
    }
    try (var files = Files.list(store.resolve("containers"))) {
      container = Files.readAllBytes(files.findFirst().orElseThrow());
    }
  }

  @AfterContainer
  static void remove() {
    IoUtil.delete(directory.toFile(), false);
  }

  @Provide
  Arbitrary<List<Mutation>> mutations() {
    return Mutation.several();
  }

  @Property
  void indexIsReadOrRefused(
      @ForAll("mutations") final List<Mutation> mutations, @ForAll final boolean crcIsRight) {
    final byte[] bytes = Mutation.apply(index(), mutations);
    if (crcIsRight && bytes.length > IndexCodec.FOOTER_LENGTH) {
      sealIndex(bytes);
    }
    Outcome.isReadOrRefused(
        "the-index",
        () ->
            IndexCodec.decode("the-index", COMMIT, ByteBuffer.wrap(bytes))
                .forEach(StoreFuzzTest::checkSane));
  }

  private static void checkSane(final CommittedImage image) {
    assertThat(ImagePath.isValid(image.path())).isTrue();
    assertThat(image.size()).isNotNegative();
    assertThat(image.heldByOthers().end()).isLessThanOrEqualTo(image.size());
    image
        .blocks()
        .forEach(block -> assertThat(block.offset() + block.length()).isBetween(1L, image.size()));
  }

  @Property
  void manifestIsReadOrRefused(
      @ForAll("mutations") final List<Mutation> mutations, @ForAll final boolean crcIsRight)
      throws IOException {
    final byte[] bytes = Mutation.apply(manifest(), mutations);
    if (crcIsRight && bytes.length > MANIFEST_CRC) {
      sealManifest(bytes);
    }
    Outcome.isReadOrRefused("the-manifest", () -> ManifestCodec.decode("the-manifest", bytes));
  }

  @Example
  void aManifestOfMoreRanksThanANodeHasIsRefused() throws IOException {
    final String text = new String(manifest(), StandardCharsets.UTF_8);
    final byte[] bytes = text.replace("\"0-1\"", "\"0-9999999\"").getBytes(StandardCharsets.UTF_8);
    assertThat(bytes.length).isGreaterThan(text.length());
    sealManifest(bytes);
    assertThatThrownBy(() -> ManifestCodec.decode("the-manifest", bytes))
        .isInstanceOf(DamagedException.class)
        .hasMessageContaining("impossible");
  }

  @Property
  void containerIsReadOrRefused(
      @ForAll("mutations") final List<Mutation> mutations, @ForAll final boolean crcIsRight)
      throws IOException {
    final byte[] bytes = Mutation.apply(container, mutations);
    final Path file = directory.resolve("the-container");
    final ChunkLocation location = crcIsRight ? sealContainer(bytes) : chunk;
    Files.write(file, bytes);
    Outcome.isReadOrRefused(
        "the-container",
        () -> {
          try (HugeMemory memory = new HugeMemory();
              ContainerReader reader =
                  ContainerReader.open(file, containerId, StoreFixture.SESSION, memory)) {
            readAll(reader.read(location));
          }
        });
  }

  /** Found once: the version of a chunk was refused without a word about where. */
  @Example
  void chunkOfAnotherVersionIsRefusedByName() throws IOException {
    containerIsReadOrRefused(List.of(new Mutation(Mutation.Kind.FLIP, 12292, 0)), true);
  }

  private static void readAll(final ChunkReader records) throws IOException {
    while (records.next()) {
      assertThat(records.offset() + records.length()).isNotNegative();
      assertThat(records.payload()).isLessThanOrEqualTo(records.used());
    }
  }

  private static byte[] index() {
    final List<ChunkLocation> chunks =
        List.of(new ChunkLocation(7, 4096, 500, 11), new ChunkLocation(7, 8192, 600, 12));
    return IndexCodec.encode(
        COMMIT,
        List.of(
            new CommittedImage(
                0,
                new ImageAttributes("a/b", 0, 2, 0640, 3000, 1),
                chunks,
                List.of(new Block(10, 20, 30)),
                Sharing.PRIVATE,
                List.of()),
            new CommittedImage(
                1,
                new ImageAttributes("c", 1, 2, 0640, 100, 2),
                List.of(),
                List.of(),
                null,
                List.of(
                    new Holder(
                        4,
                        chunks,
                        List.of(new Block(10, 20, 30)),
                        new Pieces(List.of(new Extent(0, 10), new Extent(20, 5)))))),
            new CommittedImage(
                2,
                new ImageAttributes("d", -1, 2, 0640, 9, 3),
                List.of(),
                List.of(),
                new Sharing(Sharing.Kind.DIRECT, "/x/d", 7),
                List.of()),
            new CommittedImage(
                3,
                new ImageAttributes("e", 0, 2, 0640, 90, 4),
                List.of(),
                List.of(new Block(10, 20, 30)),
                new Sharing(Sharing.Kind.IN_PLACE, "/x/e", 8),
                List.of())));
  }

  private static void sealIndex(final byte[] bytes) {
    final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    final int end = bytes.length - Integer.BYTES;
    buffer.putLong(end - Long.BYTES, ~IndexCodec.MAGIC);
    buffer.putInt(end, crc(bytes, end));
  }

  private static byte[] manifest() throws IOException {
    return ManifestCodec.encode(
        new Commit(
            new CommitIdentity(
                3, COMMIT, List.of("epoch-3"), 9, Instant.ofEpochMilli(1000), List.of(8L)),
            new CommitSource("node1", "job", new Origin("/data/out", true), StoreFixture.SESSION),
            new JobCoverage(2, RankSet.of(IntStream.of(0, 1))),
            Layout.CONTAINER,
            Optional.of(Completion.COUNT),
            false,
            new CommitContent(2, 3000, List.of(7L))));
  }

  private static void sealManifest(final byte[] bytes) {
    final int end = bytes.length - MANIFEST_CRC;
    final byte[] member =
        ",\"crc\":\"%08x\"}\n".formatted(crc(bytes, end)).getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(member, 0, bytes, end, MANIFEST_CRC);
  }

  /** Makes both crcs of the chunk, and the one of the header block, right. */
  private static ChunkLocation sealContainer(final byte[] bytes) {
    final int begin = (int) chunk.position();
    final int header = ChunkDescriptor.HEADER_LENGTH;
    if (bytes.length < begin + BitUtil.align(chunk.used(), 4096)) {
      return chunk;
    }
    final UnsafeBuffer all = new UnsafeBuffer(bytes);
    all.putInt(ContainerDescriptor.CRC_OFFSET, 0);
    all.putInt(ContainerDescriptor.CRC_OFFSET, crc(bytes, ContainerDescriptor.BLOCK_LENGTH));
    final UnsafeBuffer memory = new UnsafeBuffer(bytes, begin, chunk.used());
    final byte[] records = Arrays.copyOfRange(bytes, begin + header, begin + chunk.used());
    memory.putInt(ChunkDescriptor.CRC_OFFSET, crc(records, records.length));
    final byte[] front = Arrays.copyOfRange(bytes, begin, begin + header);
    memory.putInt(ChunkDescriptor.HEADER_CRC_OFFSET, crc(front, ChunkDescriptor.HEADER_CRC_OFFSET));
    return new ChunkLocation(
        chunk.container(), chunk.position(), chunk.used(), crc(records, records.length));
  }

  private static int crc(final byte[] bytes, final int length) {
    final CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
