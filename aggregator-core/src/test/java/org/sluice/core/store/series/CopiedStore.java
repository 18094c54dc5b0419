package org.sluice.core.store.series;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.parts.PartCopy;
import org.sluice.core.store.parts.SeriesObjects;

/** Does for a store of one node what a run with a stage does: all of it becomes a run elsewhere. */
public final class CopiedStore {
  private CopiedStore() {}

  /**
   * A program.
   *
   * @param args the store's directory, then as {@link #copy}
   */
  public static void main(final String... args) throws IOException {
    try (PosixStore store = PosixStore.open(Path.of(args[0]))) {
      copy(store, args[1], args[2], args[3], args[4]);
    }
  }

  /** Commits a run of one or more nodes whose checkpoints are those of a store. */
  public static List<PartKey> copy(
      final PosixStore from,
      final String location,
      final String series,
      final String name,
      final String node)
      throws IOException {
    final List<PartKey> keys = new ArrayList<>();
    try (SeriesObjects store = SeriesObjects.create(location);
        Engine engine = store.engine(series)) {
      final SeriesRun run = SeriesRun.join(engine, name, node);
      for (final Commit commit :
          from.commits().stream().sorted(Comparator.comparing(Commit::number)).toList()) {
        final PartKey key =
            run.part(commit.number(), 0, 0, new StoredPart(commit, List.of()).ranks());
        final StoredPart part = PartCopy.copy(from, commit, engine, key, bytes -> {});
        run.put(key, List.of(ByteBuffer.wrap(part.encode())));
        run.commit(key, run.parts(key), Math.max(1, commit.coverage().ranks()), PartsCheck.NONE);
        keys.add(key);
      }
    }
    return keys;
  }
}
