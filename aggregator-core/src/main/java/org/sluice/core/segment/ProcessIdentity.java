package org.sluice.core.segment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A process, distinguishable from a later one that was given the same pid.
 *
 * @param startTime clock ticks between boot and the start of the process, field 22 of {@code
 *     /proc/PID/stat}
 */
public record ProcessIdentity(int pid, long startTime) {
  private static final int STATE_FIELD = 0;
  private static final int THREADS_FIELD = 17;
  private static final int START_TIME_FIELD = 19;

  public static ProcessIdentity current() {
    final int pid = (int) ProcessHandle.current().pid();
    try {
      return of(pid).orElseThrow();
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The process that has a pid now. A process whose first thread has ended lives as long as another
   * one does.
   *
   * @return its identity; empty when there is none, or only a zombie
   */
  public static Optional<ProcessIdentity> of(final int pid) throws IOException {
    final Path process = Path.of("/proc", Integer.toString(pid));
    final String stat;
    try {
      stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
    } catch (final IOException e) {
      if (Files.notExists(process)) {
        return Optional.empty();
      }
      throw e;
    }
    // The second field, the command in parentheses, may contain anything.
    final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    final char state = fields[STATE_FIELD].charAt(0);
    final boolean ended = state == 'X' || state == 'Z' && Long.parseLong(fields[THREADS_FIELD]) < 2;
    return ended
        ? Optional.empty()
        : Optional.of(new ProcessIdentity(pid, Long.parseLong(fields[START_TIME_FIELD])));
  }

  /**
   * Tells whether the process still runs or is stopped; false when it ended, even if its pid has
   * another owner by now; true where the kernel does not tell.
   */
  public boolean isAlive() {
    try {
      // Not by equals(), which the JVM links anew at each start while the first process waits.
      return of(pid).filter(now -> now.startTime == startTime).isPresent();
    } catch (final IOException isNotTold) {
      return true;
    }
  }

  /**
   * Tells whether paths lead the process to the same files as this one; false where it has other
   * mounts or another root, and where the kernel does not tell.
   */
  public boolean hasSamePaths() {
    try {
      return has("ns/mnt") && has("root");
    } catch (final IOException isNotTold) {
      return false;
    }
  }

  private boolean has(final String what) throws IOException {
    return Files.isSameFile(
        Path.of("/proc/self", what), Path.of("/proc", Integer.toString(pid), what));
  }
}
