package org.sluice.iop.image;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;

/** How many images there may be: each holds a descriptor of this process. */
public final class DescriptorLimit {
  /** For clients, containers and commits. */
  private static final int RESERVED = 512;

  private DescriptorLimit() {}

  /** The JVM has raised the soft limit to the hard one as it started. */
  private static long limit() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof final UnixOperatingSystemMXBean system
        ? system.getMaxFileDescriptorCount()
        : Long.MAX_VALUE;
  }

  /**
   * The images that there may be at a time.
   *
   * @return over 0 after {@link #check}
   */
  static long mostImages() {
    return limit() - RESERVED;
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
              .formatted(limit(), RESERVED));
    }
  }
}
