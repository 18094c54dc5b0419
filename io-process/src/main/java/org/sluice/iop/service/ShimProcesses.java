package org.sluice.iop.service;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells processes under the shim from others, which have the same environment. Thread-safe.
 *
 * @param directory where clients of this session find it
 */
record ShimProcesses(Path directory) {
  private static final String LIBRARY = "libsluice_preload.so";

  /**
   * Whether a process has the shim loaded, and for this session.
   *
   * @param pid 0 unknown
   */
  boolean has(final int pid) {
    final Path process = Path.of("/proc", Integer.toString(pid));
    final String variable = "SLUICE_DIRECTORY=" + directory + '\0';
    try {
      return pid > 0
          && text(process.resolve("environ")).contains(variable)
          && text(process.resolve("maps")).contains(LIBRARY);
    } catch (final IOException goneOrAnothersUser) {
      return false;
    }
  }

  private static String text(final Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
  }
}
