package org.sluice.iop.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The mounted file systems that this process sees. */
final class MountTable {
  private static final Path OWN = Path.of("/proc/self/mounts");

  /** A mounted file system; {@code options} such as {@code rw} or {@code pagesize=2M}. */
  record MountLine(Path at, String type, List<String> options) {}

  private final List<MountLine> entries;

  private MountTable(final List<MountLine> entries) {
    this.entries = entries;
  }

  static MountTable read() throws IOException {
    return of(Files.readAllLines(OWN));
  }

  /** Parses lines as in {@code /proc/self/mounts}. */
  static MountTable of(final List<String> lines) {
    return new MountTable(lines.stream().map(MountTable::entry).toList());
  }

  private static MountLine entry(final String line) {
    final String[] fields = line.split(" ");
    final Path at = Path.of(fields[1].replace("\\040", " ").replace("\\134", "\\"));
    return new MountLine(at, fields[2], Arrays.asList(fields[3].split(",")));
  }

  /** Returns the file systems of a type, in the order they were mounted. */
  List<MountLine> ofType(final String type) {
    return entries.stream().filter(entry -> entry.type().equals(type)).toList();
  }

  Optional<MountLine> holding(final Path path) {
    return entries.stream()
        .filter(entry -> path.startsWith(entry.at()))
        .reduce((a, b) -> b.at().getNameCount() >= a.at().getNameCount() ? b : a);
  }
}
