package org.sluice.core.store.disk;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The owners of files and directories. */
public final class FileOwners {
  private FileOwners() {}

  /**
   * Adds the owner of a file, if it is there.
   *
   * @param path a file or directory; a link is not followed
   */
  public static void add(final Map<Integer, String> owners, final Path path) throws IOException {
    if (Files.exists(path, NOFOLLOW_LINKS)) {
      owners.put(
          (Integer) Files.getAttribute(path, "unix:uid", NOFOLLOW_LINKS),
          Files.getOwner(path, NOFOLLOW_LINKS).getName());
    }
  }
}
