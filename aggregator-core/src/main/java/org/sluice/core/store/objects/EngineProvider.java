package org.sluice.core.store.objects;

import java.io.IOException;
import java.net.URI;

/**
 * A provider of one kind of engine. Its module names it in {@code
 * META-INF/services/org.sluice.core.store.objects.EngineProvider}, and {@code ServiceLoader} finds
 * it.
 */
public interface EngineProvider {
  /** Returns the scheme of the URIs of its storage. */
  String scheme();

  /**
   * Opens an engine.
   *
   * @param location URI of this scheme
   * @return an engine, which the caller closes
   * @throws IOException when the engine cannot be opened
   */
  Engine open(URI location) throws IOException;
}
