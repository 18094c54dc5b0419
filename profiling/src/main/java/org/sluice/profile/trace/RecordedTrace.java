package org.sluice.profile.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A trace that Sluice recorded: a directory of parts, or one part. */
public final class RecordedTrace implements Trace {
  private final List<Path> parts;

  private RecordedTrace(final List<Path> parts) {
    this.parts = parts;
  }

  /** Returns whether the path is of a part, or of a directory with at least one. */
  public static boolean isOne(final Path path) throws IOException {
    return Files.isDirectory(path) ? !partsIn(path).isEmpty() : isPart(path);
  }

  /** Returns the trace of a directory or part that {@link #isOne} accepts; nothing is read yet. */
  public static RecordedTrace of(final Path path) throws IOException {
    return new RecordedTrace(Files.isDirectory(path) ? partsIn(path) : List.of(path));
  }

  public static String partName(final TracedProcess origin) {
    return origin.host().replace('/', '_') + "." + origin.pid() + PartDescriptor.SUFFIX;
  }

  private static List<Path> partsIn(final Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(PartDescriptor.SUFFIX))
          .sorted()
          .toList();
    }
  }

  private static boolean isPart(final Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      final byte[] magic = in.readNBytes(Long.BYTES);
      return magic.length == Long.BYTES
          && ByteBuffer.wrap(magic).order(ByteOrder.LITTLE_ENDIAN).getLong()
              == PartDescriptor.MAGIC;
    }
  }

  public List<Path> parts() {
    return parts;
  }

  @Override
  public String kind() {
    return "recorded trace";
  }

  @Override
  public Omissions read(final Consumer<Write> sink) throws IOException {
    final Omissions omissions = new Omissions();
    for (final Path part : parts) {
      TracePartReader.read(part, omissions, sink);
    }
    return omissions;
  }
}
