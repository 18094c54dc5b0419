package org.sluice.profile.text;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.sluice.core.posix.FileName;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.Write;

/** A trace that is the text output of another tool. */
public final class TextTrace implements Trace {
  private static final int LINES_TO_TELL_BY = 2000;

  private final String kind;
  private final Path file;
  private final BiFunction<Omissions, Consumer<Write>, LineReader> format;

  private TextTrace(
      final String kind,
      final Path file,
      final BiFunction<Omissions, Consumer<Write>, LineReader> format) {
    this.kind = kind;
    this.file = file;
    this.format = format;
  }

  /** Opens a text, of which nothing is read yet; empty when it is of no known kind. */
  public static Optional<Trace> open(final Path file) throws IOException {
    try (BufferedReader lines = reader(file)) {
      for (int i = 0; i < LINES_TO_TELL_BY; i++) {
        final String line = lines.readLine();
        if (line == null) {
          break;
        }
        if (StraceReader.isCall(line)) {
          return Optional.of(strace(file));
        }
        if (line.startsWith("# DXT, ")) {
          return Optional.of(new TextTrace("Darshan DXT text", file, DxtReader::new));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * The text is read once first, to learn the threads of each process and the processes that write.
   */
  private static Trace strace(final Path file) throws IOException {
    final StraceProcesses processes = new StraceProcesses();
    new TextTrace("", file, (omissions, sink) -> new StraceReader(processes, omissions, sink))
        .read(write -> processes.wrote(write.origin().pid()));
    processes.numberRanks();
    return new TextTrace(
        "strace output", file, (omissions, sink) -> new StraceReader(processes, omissions, sink));
  }

  /**
   * Returns a reader that maps each byte to one character, since names of files may be in any
   * encoding.
   */
  private static BufferedReader reader(final Path file) throws IOException {
    return new BufferedReader(new InputStreamReader(Files.newInputStream(file), ISO_8859_1));
  }

  @Override
  public String kind() {
    return kind;
  }

  @Override
  public Omissions read(final Consumer<Write> sink) throws IOException {
    final Omissions omissions = new Omissions();
    final LineReader reader = format.apply(omissions, sink);
    try (BufferedReader lines = reader(file)) {
      long number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        reader.line(++number, FileName.decode(line.getBytes(ISO_8859_1)));
      }
    }
    reader.end();
    return omissions;
  }
}
