package org.sluice.profile.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.posix.Names;

/** A directory that is gone afterwards, with all that is in it. */
public final class Scratch implements AutoCloseable {
  private final Path path;

  /**
   * Creates one.
   *
   * @param parent an existing directory
   * @throws IOException when that fails
   */
  public Scratch(final Path parent) throws IOException {
    path = Files.createTempDirectory(parent.toRealPath(), "sluice-replay-");
  }

  /**
   * Creates a directory in it.
   *
   * @param name its name
   * @return its path, absolute
   * @throws IOException when that fails
   */
  public Path directory(final String name) throws IOException {
    return Files.createDirectory(file(name));
  }

  /**
   * Names a file in it.
   *
   * @param name its name
   * @return its path, absolute
   */
  public Path file(final String name) {
    return path.resolve(name);
  }

  /**
   * Deletes a directory and everything below, if it is there.
   *
   * @param directory its path
   * @throws IOException when that fails
   */
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
