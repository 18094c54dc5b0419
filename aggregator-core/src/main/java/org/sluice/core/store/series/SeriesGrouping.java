package org.sluice.core.store.series;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.store.directory.RememberedGrouping;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.NoObjectException;

/**
 * The grouping that the nodes of a run found out, as an object that never changes: {@code
 * grouping/<begin>}. The first node of a run decides for all. A run with another result has another
 * object.
 */
public final class SeriesGrouping implements RememberedGrouping {
  private static final String FOLDER = "grouping/";
  private static final int MOST = 8192;

  private final Engine engine;
  private final long begin;

  public SeriesGrouping(final Engine engine, final long begin) {
    this.engine = engine;
    this.begin = begin;
  }

  @Override
  public Optional<String> recall() throws IOException {
    final Optional<String> newest =
        engine.list(FOLDER).stream()
            .filter(key -> key.compareTo(key(begin)) <= 0)
            .max(Comparator.naturalOrder());
    return newest.isPresent() ? read(newest.get()) : Optional.empty();
  }

  @Override
  public String remember(final String expression) throws IOException {
    final List<String> before = engine.list(FOLDER);
    engine.putIfAbsent(key(begin), SealedText.encode(expression + "\n"));
    final String decided =
        read(key(begin))
            .orElseThrow(
                () ->
                    new IOException(
                        "%s/%s is damaged; say which by --group".formatted(engine, key(begin))));
    for (final String earlier : before) {
      if (earlier.compareTo(key(begin)) < 0) {
        engine.delete(earlier);
      }
    }
    return decided;
  }

  @Override
  public String replace(final String expression) throws IOException {
    return remember(expression);
  }

  private Optional<String> read(final String key) throws IOException {
    try {
      return Optional.of(
          SealedText.decode(engine + "/" + key, engine.getAll(key, MOST)).stripTrailing());
    } catch (final DamagedException | NoObjectException none) {
      return Optional.empty();
    }
  }

  private static String key(final long begin) {
    return "%s%018d".formatted(FOLDER, begin);
  }
}
