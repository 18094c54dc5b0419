package org.sluice.profile.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.posix.Names;

/** A temporary directory that is deleted with its contents when closed. */
public final class Scratch implements AutoCloseable {
  private final Path path;

  public Scratch(final Path parent) throws IOException {
    path = Files.createTempDirectory(parent.toRealPath(), "sluice-replay-");
  }

  public Path directory(final String name) throws IOException {
    return Files.createDirectory(file(name));
  }

  public Path file(final String name) {
    return path.resolve(name);
  }

  /** Deletes a directory with its contents, if it exists. */
  public static void delete(final Path directory) throws IOException {
    for (final Path each : Names.deepestFirst(directory)) {
      Files.deleteIfExists(each);
    }
  }

  @Override
  public void close() throws IOException {
    delete(path);
  }
}
