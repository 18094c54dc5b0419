package org.sluice.iop.publish;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineException;
import org.sluice.core.store.objects.EngineProvider;
import org.sluice.core.store.objects.ForwardingEngine;

/** A provider of directories as engines that refuse to read the second checkpoint of a series. */
public final class RefusingEngineProvider implements EngineProvider {
  private static final String SCHEME = "refusing";

  static String location(final Path directory) {
    return SCHEME + ":" + directory + "/";
  }

  @Override
  public String scheme() {
    return SCHEME;
  }

  @Override
  public Engine open(final URI location) {
    return new ForwardingEngine(DirectoryEngine.of(Path.of(location.getPath()))) {
      @Override
      public void get(final String key, final long offset, final ByteBuffer into)
          throws IOException {
        if (key.contains("/part/0000000002-")) {
          throw new EngineException(
              EngineException.Reason.DENIED, "may not read " + key + "; change the policy", null);
        }
        super.get(key, offset, into);
      }
    };
  }
}
