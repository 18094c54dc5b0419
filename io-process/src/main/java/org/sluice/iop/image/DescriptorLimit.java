package org.sluice.iop.image;

import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.posix.NativeProcess;

/** How many images there may be: each holds a descriptor of this process. */
public final class DescriptorLimit {
  /** For clients, containers and commits. */
  private static final int RESERVED = 512;

  private DescriptorLimit() {}

  /**
   * The images that there may be at a time.
   *
   * @return over 0 after {@link #check}
   */
  static long mostImages() {
    return NativeProcess.mostOpenFiles() - RESERVED;
  }

  /**
   * Sees that files can be captured at all.
   *
   * @throws CommandException when there may be no image
   */
  public static void check() {
    if (mostImages() <= 0) {
      throw new CommandException(
          ExitStatus.FEW_DESCRIPTORS,
          ("a limit of %d open files is too low to capture any: it takes more than %d, and one for"
                  + " each file; raise it (ulimit -Hn)")
              .formatted(NativeProcess.mostOpenFiles(), RESERVED));
    }
  }
}
