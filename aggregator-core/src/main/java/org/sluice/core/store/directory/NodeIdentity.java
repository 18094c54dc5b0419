package org.sluice.core.store.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What tells a node from others.
 *
 * @param name its host name
 * @param machine the id of its installation, equal on nodes that were cloned; empty without one
 * @param boot the id of its kernel's boot, the same in all of its containers; changes with each
 *     boot
 */
public record NodeIdentity(String name, String machine, String boot) {
  private static final Path NAME = Path.of("/proc/sys/kernel/hostname");
  private static final Path MACHINE = Path.of("/etc/machine-id");
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  /**
   * This node.
   *
   * @return as the kernel and the system say
   * @throws IOException when they do not
   */
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

  /**
   * Whether it is this node.
   *
   * @return as far as names and boots tell
   * @throws IOException when the kernel does not say what this node is
   */
  public boolean isSelf() throws IOException {
    return isSameAs(self());
  }

  /**
   * Whether two are one node: as long as a kernel runs its boot tells, whatever a container is
   * called in which it was asked; then the name and the installation do.
   */
  boolean isSameAs(final NodeIdentity other) {
    return boot.equals(other.boot) || name.equals(other.name) && machine.equals(other.machine);
  }
}
