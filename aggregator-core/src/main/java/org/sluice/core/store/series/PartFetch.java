package org.sluice.core.store.series;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.NoObjectException;

/**
 * The fetch of parts of a series, several at a time: a checkpoint of a thousand nodes has as many.
 *
 * @param engine storage of the series, which stays the caller's
 */
public record PartFetch(Engine engine) {
  private static final int AT_A_TIME = 16;

  /** Returns parts in the order of their keys; a missing part is damage. */
  List<StoredPart> all(final List<CommittedPart> keys) throws IOException {
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

  private StoredPart there(final CommittedPart part) throws IOException {
    try {
      return one(part);
    } catch (final NoObjectException missing) {
      throw damaged(part.key().toString(), "it is missing", missing);
    }
  }

  /**
   * Returns a part whose content agrees with its key.
   *
   * @throws NoObjectException when the part is not there
   */
  StoredPart one(final CommittedPart one) throws IOException {
    final PartKey key = one.key();
    final StoredPart part = stored(one);
    if (part.commit().number() != key.number() || !part.ranks().equals(key.ranks())) {
      throw damaged(key.toString(), "the part of another checkpoint or node stands here", null);
    }
    return part;
  }

  /** Returns a part, without a look at whether it agrees with its key. */
  public StoredPart stored(final CommittedPart part) throws IOException {
    return StoredPart.decode(engine + "/" + part.key(), bytes(part));
  }

  byte[] bytes(final CommittedPart part) throws IOException {
    return part.isObject()
        ? engine.getAll(part.key().toString(), StoredPart.MAX_LENGTH)
        : SeriesLog.part(engine, part.entry());
  }

  DamagedException damaged(final String key, final String why, final IOException cause) {
    final DamagedException damage = new DamagedException(engine + "/" + key, 0, why);
    damage.initCause(cause);
    return damage;
  }
}
