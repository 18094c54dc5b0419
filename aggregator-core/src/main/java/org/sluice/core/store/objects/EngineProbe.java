package org.sluice.core.store.objects;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.sluice.core.posix.Entropy;
import org.sluice.core.store.objects.EngineException.Reason;

/**
 * A test of the promise of an engine on which a series depends: of two objects with the same key
 * the first one stays. Some object stores take the condition and ignore it.
 */
public final class EngineProbe {
  /** The beginning of a probe's key. */
  public static final String PREFIX = "probe-";

  private EngineProbe() {}

  /**
   * Creates one object twice, and deletes it.
   *
   * @param engine engine to test; a killed probe leaves an object there whose key begins with
   *     {@code probe-}
   * @throws EngineException when the storage is not fit for a series
   */
  public static void conditionalCreate(final Engine engine) throws IOException {
    final String key = "%s%016x".formatted(PREFIX, Entropy.nextLong());
    final byte[] first = (key + " 1").getBytes(StandardCharsets.US_ASCII);
    final byte[] second = (key + " 2").getBytes(StandardCharsets.US_ASCII);
    engine.putIfAbsent(
        key, first); // false where the storage repeated the request; the bytes read decide
    final boolean replaced = engine.putIfAbsent(key, second);
    final byte[] stored = engine.getAll(key, first.length);
    engine.delete(key);
    if (replaced || !Arrays.equals(stored, first)) {
      throw new EngineException(
          Reason.UNFIT,
          "%s replaces an object that is to be created only if there is none, so that nodes would"
                  .formatted(engine)
              + " overwrite each other's commits; take storage that honours If-None-Match or link(2)",
          null);
    }
  }
}
