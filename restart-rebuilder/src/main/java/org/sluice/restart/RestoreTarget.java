package org.sluice.restart;

import java.io.IOException;
import java.nio.file.Path;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.parts.SeriesDirectory;

/**
 * The place to which a checkpoint is restored.
 *
 * @param directory path of the directory, absolute
 * @param specialBits whether to restore set-user-id, set-group-id and sticky bits
 */
record RestoreTarget(String directory, boolean force, boolean specialBits) {
  /** Returns the target by the name that a user gave it. */
  static RestoreTarget of(final String name, final boolean force, final boolean specialBits)
      throws PosixException {
    return new RestoreTarget(Names.absolute(name), force, specialBits);
  }

  /**
   * Refuses a target in the store. Files put there could be taken for the store's own, and be
   * removed with it.
   *
   * @param store directory of the store, or of one node's part of it
   */
  void refuseStore(final Path store) throws IOException {
    final String root =
        Names.real(SeriesDirectory.root(store.toAbsolutePath().normalize()).toString());
    if (FileName.isWithin(Names.real(Scaffold.there(directory)), root)) {
      throw new CommandException(
          ExitStatus.USAGE,
          "%s is in the store itself; restore to another directory, such as %s"
              .formatted(Quoting.name(directory), FileName.sibling(root, "restart")));
    }
  }
}
