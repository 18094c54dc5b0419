package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.node.SharedLife.Round;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartsCheck;
import org.sluice.core.store.series.SeriesReader;
import org.sluice.core.store.series.SeriesRun;

/** What power cuts left of a series of two nodes, as a third node finds it, which then commits. */
final class SharedRemains {
  private static final int NEXT_RUN = 9;
  private static final int NUMBERS = 4;

  private final Path left;
  private final SeriesDirectory directory;
  private final List<String> faults = new ArrayList<>();

  SharedRemains(final Path left) throws IOException {
    this.left = left;
    this.directory = SeriesDirectory.open(left.resolve("store"));
  }

  /** What is wrong when each node was cut at a position of its own. */
  List<String> faults(final SharedLife life, final int... cuts) {
    final List<Round> there = whole();
    for (final SharedLife.Told told : life.told()) {
      if (told.position() <= cuts[told.node()]
          && there.stream().noneMatch(one -> one.replaces(told.round()))
          && life.removed().stream()
              .noneMatch(
                  gone ->
                      gone.position() < cuts[gone.node()] && gone.round().replaces(told.round()))) {
        faults.add("what a node was told of is lost: " + told.round());
      }
    }
    if (faults.isEmpty()) {
      goOn();
      whole();
    }
    return faults;
  }

  /** What counts, all bytes of which must be there. */
  private List<Round> whole() {
    final List<Round> whole = new ArrayList<>();
    try (SeriesReader reader = new SeriesReader(directory, SharedLife.SERIES)) {
      for (final Commit commit : reader.commits(e -> faults.add(e.getMessage()))) {
        final Round round = Round.of(commit.source().job());
        whole.add(round);
        try (Rebuilder rebuilder = reader.rebuilder(commit, false)) {
          for (final CommittedImage image : reader.images(commit)) {
            compare(round, image, rebuilder);
          }
        }
      }
    } catch (final IOException e) {
      faults.add(e.toString());
    }
    return whole;
  }

  private void compare(final Round round, final CommittedImage image, final Rebuilder rebuilder)
      throws IOException {
    final Path target = left.resolve("rebuilt");
    try (NativeFile file = NativeFile.open(target, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE)) {
      rebuilder.rebuild(image, file);
    }
    if (!Arrays.equals(Files.readAllBytes(target), round.bytes(image.rank()))) {
      faults.add("%s of %s has wrong bytes".formatted(image.path(), round));
    }
  }

  /** Another run on both nodes, whose begin may have the number of one that is lost. */
  private void goOn() {
    try (Engine engine = directory.engine(SharedLife.SERIES)) {
      final List<SeriesRun> runs = new ArrayList<>();
      final List<PosixStore> stores = new ArrayList<>();
      for (int node = 0; node < SharedLife.NODES; node++) {
        runs.add(SeriesRun.join(engine, "next", "n" + node));
        stores.add(
            PosixStore.createPart(
                directory.place(SharedLife.SERIES, runs.getLast().begin(), "n" + node).path()));
      }
      for (long number = 1; number <= NUMBERS; number++) {
        commit(new Round(NEXT_RUN, number, 0), runs, stores);
      }
      for (final PosixStore store : stores) {
        store.close();
      }
    } catch (final IOException e) {
      faults.add("the next run: " + e);
    }
  }

  private void commit(final Round round, final List<SeriesRun> runs, final List<PosixStore> stores)
      throws IOException {
    for (int node = 0; node < runs.size(); node++) {
      final PosixStore store = stores.get(node);
      final RankSet ranks = RankSet.of(IntStream.of(node));
      final Path path = left.resolve("next-%d-%d".formatted(round.number(), node));
      try (NativeFile file = NativeFile.open(path, Flag.WRITE, Flag.CREATE)) {
        final Commit[] part = new Commit[1];
        store.commit(round.draft(file, node), commit -> part[0] = commit);
        final byte[] bytes = new StoredPart(part[0], store.images(part[0])).encode();
        final SeriesRun run = runs.get(node);
        final PartKey key = run.part(round.number(), round.round(), 0, ranks);
        run.put(key, List.of(ByteBuffer.wrap(bytes)));
        run.commit(key, run.parts(key), SharedLife.NODES, PartsCheck.NONE);
      }
    }
  }
}
