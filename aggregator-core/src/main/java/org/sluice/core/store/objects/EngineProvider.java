package org.sluice.core.store.objects;

import java.io.IOException;
import java.net.URI;

/**
 * Opens engines of one kind. It is named in {@code
 * META-INF/services/org.sluice.core.store.objects.EngineProvider} of its module and found by {@code
 * ServiceLoader}.
 */
public interface EngineProvider {
  /**
   * With what the URIs of its storage begin.
   *
   * @return in lower case, without the colon
   */
  String scheme();

  /**
   * Opens an engine.
   *
   * @param location of this scheme
   * @return an engine, which the caller closes
   * @throws IOException when that fails
   */
  Engine open(URI location) throws IOException;
}
