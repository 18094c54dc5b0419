package org.sluice.core.store.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.sluice.core.process.NativeProcess;

/**
 * The mode of a store's files. They have bytes of files that others may not read, so they are
 * private. A group shares a store whose directory has the mode that {@code chmod g+ws} gives.
 * Directories below inherit that mode, and the umask may restrict it.
 */
public final class FileMode {
  private static final int SHARED = 02020;
  private static final int OF_GROUP = 0660;
  private static final int PRIVATE = 0600;
  private static final int ROOT = 0;

  private FileMode() {}

  /**
   * Returns the mode of a new file, before the umask.
   *
   * @throws ForeignStoreException when the directory's user could not read the file
   */
  public static int in(final Path directory) throws IOException {
    final Map<String, Object> status = Files.readAttributes(directory, "unix:mode,uid");
    if (((Integer) status.get("mode") & SHARED) == SHARED) {
      return OF_GROUP;
    }
    final int owner = (Integer) status.get("uid");
    if (owner != NativeProcess.user() && owner != ROOT) {
      throw new ForeignStoreException(
          "%s is of %s, who could not read what you write there; become that user, or name another --store"
              .formatted(directory, Files.getOwner(directory).getName()));
    }
    return PRIVATE;
  }
}
