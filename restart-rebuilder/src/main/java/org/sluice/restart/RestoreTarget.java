package org.sluice.restart;

import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Names;

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
}
