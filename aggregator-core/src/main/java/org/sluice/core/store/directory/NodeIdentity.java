package org.sluice.core.store.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The identity of a node.
 *
 * @param machine id of the installation, equal on nodes that were cloned; empty without one
 * @param boot id of the kernel's boot, the same in all of its containers; changes with each boot
 */
public record NodeIdentity(String name, String machine, String boot) {
  private static final Path NAME = Path.of("/proc/sys/kernel/hostname");
  private static final Path MACHINE = Path.of("/etc/machine-id");
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  public static NodeIdentity self() throws IOException {
    return new NodeIdentity(text(NAME), installation(), text(BOOT));
  }

  private static String installation() throws IOException {
    try {
      return text(MACHINE);
    } catch (final NoSuchFileException none) {
      return "";
    }
  }

  private static String text(final Path file) throws IOException {
    return Files.readString(file).strip();
  }

  public boolean isSelf() throws IOException {
    return isSameAs(self());
  }

  /**
   * Returns whether two are one node. As long as a kernel runs its boot id decides, whatever the
   * name of a container. After a reboot the name and the installation decide.
   */
  boolean isSameAs(final NodeIdentity other) {
    return boot.equals(other.boot) || name.equals(other.name) && machine.equals(other.machine);
  }
}
