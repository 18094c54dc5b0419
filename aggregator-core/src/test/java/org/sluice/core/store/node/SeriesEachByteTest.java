package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.store.directory.LeftAsFiles;
import org.sluice.core.store.format.SealedJson;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartsCheck;
import org.sluice.core.store.series.SeriesReader;
import org.sluice.core.store.series.SeriesRun;

/** The same of a store of several nodes: two runs, the first of two nodes. */
class SeriesEachByteTest {
  private static final String SERIES = "default";

  /** The parts of a series are elsewhere than the manifests of a node. */
  private static final Predicate<String> HARMLESS =
      Pattern.compile("default/data/[^/]*/(changes|checkpoints/[^/]*/(manifest.json|index))")
          .asMatchPredicate();

  private static final byte[] CONTENT = "the bytes of an image".getBytes();

  @TempDir(factory = InMemory.class)
  private Path directory;

  private SeriesDirectory store;
  private Engine engine;
  private EachByte damage;

  @BeforeEach
  void commit() throws IOException {
    store = SeriesDirectory.create(directory.resolve("store"));
    store.make(SERIES);
    engine = store.engine(SERIES);
    put(SeriesRun.join(engine, "first", "n0"), 1, 0, 2);
    put(SeriesRun.join(engine, "first", "n1"), 1, 1, 2);
    commitWhole(SeriesRun.join(engine, "second", "n0"), 2);
    Files.write(
        store.root().resolve(SERIES).resolve(PosixReader.WAVES),
        SealedJson.line(Map.of("what", "begun", "checkpoint", 1L)));
    damage =
        new EachByte(
                store.root(),
                () ->
                    SeriesDirectory.is(store.root())
                        ? new SeriesReader(SeriesDirectory.open(store.root()), SERIES)
                        : PosixStore.open(store.root()))
            .without("default/data/1-n1")
            .oneOf(5);
    assertThat(damage.looks()).isEmpty();
  }

  private StoredPart part(final SeriesRun run, final long number, final int rank, final int ranks)
      throws IOException {
    try (StoreFixture fixture = StoreFixture.ofPart(place(run, rank).path(), directory)) {
      fixture.logged("logged" + rank, rank, CONTENT).filed("filed" + rank, rank, CONTENT);
      final Commit commit =
          fixture.commitPart(number, ranks, ranks == 1 ? RankSet.NONE : ranks(rank));
      fixture.store().leftAsFiles(new LeftAsFiles("/some/where", 7));
      return new StoredPart(commit, fixture.store().images(commit));
    }
  }

  private SeriesDirectory.Place place(final SeriesRun run, final int rank) throws IOException {
    return store.place(SERIES, run.begin(), "n" + rank);
  }

  /** A while ago. */
  private void end(final SeriesRun run, final int rank) throws IOException {
    place(run, rank).end(run.last());
    Files.setLastModifiedTime(
        place(run, rank).path().resolve(PosixReader.ENDED), FileTime.from(Instant.EPOCH));
  }

  private static RankSet ranks(final int rank) {
    return RankSet.of(IntStream.of(rank));
  }

  private void put(final SeriesRun run, final long number, final int rank, final int ranks)
      throws IOException {
    final byte[] bytes = part(run, number, rank, ranks).encode();
    final PartKey key = run.part(number, 0, 0, ranks(rank));
    run.put(key, List.of(ByteBuffer.wrap(bytes)));
    run.commit(key, run.parts(key), ranks, PartsCheck.NONE);
    end(run, rank);
  }

  private void commitWhole(final SeriesRun run, final long number) throws IOException {
    final byte[] bytes = part(run, number, 0, 1).encode();
    run.commit(run.part(number, 0, 0, ranks(0)), bytes);
    end(run, 0);
  }

  @Test
  void eachFlippedByteIsNamed() throws IOException {
    assertThat(damage.flipped().harmless()).allMatch(HARMLESS);
    assertThat(damage.tried()).isGreaterThan(800);
  }

  @Test
  void eachCutIsNamed() throws IOException {
    assertThat(damage.cutAnywhere().harmless())
        .allMatch(HARMLESS.or(name -> name.matches("default/(mpi.log|data/[^/]*/ended)")));
  }

  @Test
  void aLongerFileIsNamedUnlessNobodyReadsItsEnd() throws IOException {
    assertThat(damage.grown().harmless())
        .allMatch(
            HARMLESS.or(
                name ->
                    name.matches(
                        "default/data/[^/]*/(containers/ID.data|checkpoints/[^/]*/images/1)|default/mpi.log")));
  }

  @Test
  void whateverIsDeletedIsNamed() throws IOException {
    damage.delete();
    assertThat(damage.harmless())
        .allMatch(
            HARMLESS.or(
                name ->
                    name.matches(
                        "default/(mpi.log|data/[^/]*/(ended|left-as-files|log|node|staging))")));
    assertThat(damage.silent())
        .containsExactlyInAnyOrder(
            "default deleted[]", // a series that is removed
            "default/data/3-n0/left-as-files deleted[]"); // as where none were left
  }
}
