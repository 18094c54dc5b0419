package org.sluice.core.store.objects;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.objects.EngineException.Reason;

/** The provider of directories as engines. */
public final class DirectoryEngineProvider implements EngineProvider {
  @Override
  public String scheme() {
    return "file";
  }

  @Override
  public Engine open(final URI location) throws IOException {
    final Path directory = path(location);
    if (!Files.isDirectory(directory)) {
      throw new NoStoreException("%s is no directory; create it".formatted(directory));
    }
    return DirectoryEngine.of(directory);
  }

  private static Path path(final URI location) throws EngineException {
    try {
      return Path.of(location);
    } catch (final IllegalArgumentException e) {
      throw new EngineException(
          Reason.ADDRESS,
          "%s names no directory of this node: %s; write file:/DIRECTORY"
              .formatted(location, e.getMessage()),
          e);
    }
  }
}
