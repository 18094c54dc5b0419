package org.sluice.core.series;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.engine.Engine;
import org.sluice.core.engine.NoObjectException;
import org.sluice.core.store.StoredPart;

/** Gets parts of a series, some at a time: a checkpoint of a thousand nodes has as many. */
record PartFetch(Engine engine) {
  private static final int AT_A_TIME = 16;

  /** In the order of their keys; one that is missing is damage. */
  List<StoredPart> all(final List<PartKey> keys) throws IOException {
    final List<StoredPart> parts = new ArrayList<>();
    if (keys.size() == 1) {
      parts.add(there(keys.getFirst()));
      return parts;
    }
    final List<Future<StoredPart>> fetched = new ArrayList<>();
    try (ExecutorService requests =
        Executors.newFixedThreadPool(
            Math.min(AT_A_TIME, keys.size()), Thread.ofVirtual().factory())) {
      try {
        keys.forEach(key -> fetched.add(requests.submit(() -> there(key))));
        for (final Future<StoredPart> one : fetched) {
          parts.add(result(one));
        }
      } finally {
        requests.shutdownNow();
      }
    }
    return parts;
  }

  private static StoredPart result(final Future<StoredPart> fetched) throws IOException {
    try {
      return fetched.get();
    } catch (final ExecutionException e) {
      if (e.getCause() instanceof final IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the reading was interrupted", e);
    }
  }

  private StoredPart there(final PartKey key) throws IOException {
    try {
      return one(key);
    } catch (final NoObjectException missing) {
      throw damaged(key.toString(), "it is missing", missing);
    }
  }

  StoredPart one(final PartKey key) throws IOException {
    final StoredPart part = stored(key.toString());
    if (part.commit().number() != key.number() || !part.ranks().equals(key.ranks())) {
      throw damaged(key.toString(), "the part of another checkpoint or node stands here", null);
    }
    return part;
  }

  /** Whatever the key says. */
  StoredPart stored(final String key) throws IOException {
    return StoredPart.decode(engine + "/" + key, engine.getAll(key, StoredPart.MAX_LENGTH));
  }

  DamagedException damaged(final String key, final String why, final IOException cause) {
    final DamagedException damage = new DamagedException(engine + "/" + key, 0, why);
    damage.initCause(cause);
    return damage;
  }
}
