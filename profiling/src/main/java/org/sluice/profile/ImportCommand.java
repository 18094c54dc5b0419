package org.sluice.profile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.sluice.core.command.ExitStatus;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.PartWriter;
import org.sluice.profile.trace.RecordedTrace;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.Write;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Turns the text of another tool into a recorded trace. */
@Command(
    name = "import",
    description = {
      "Makes a recorded trace of strace or Darshan text: a tenth of its size and fit for",
      "all commands. They read the text itself as well."
    },
    footerHeading = "%nExamples:%n",
    footer = "  sluice profile import app.strace --to trace/")
public final class ImportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--to",
      paramLabel = "DIR",
      required = true,
      description = "The trace; a directory that does not exist yet.")
  private Path target;

  @Parameters(paramLabel = "FILE", description = "What to read; told by its content.")
  private Path file;

  private final long traceId = new SecureRandom().nextLong();
  private final Map<Origin, PartWriter> parts = new HashMap<>();
  private long writes;

  /** For picocli. */
  public ImportCommand() {}

  @Override
  public Integer call() throws IOException {
    final Trace trace = Traces.open(file);
    Files.createDirectory(target);
    final Omissions omissions;
    try {
      omissions = trace.read(this::append);
    } catch (final UncheckedIOException e) {
      throw e.getCause();
    } finally {
      for (final PartWriter part : parts.values()) {
        part.close();
      }
    }
    spec.commandLine()
        .getOut()
        .printf("imported %d writes of %d processes to %s%n", writes, parts.size(), target);
    Traces.print(omissions, spec.commandLine().getOut());
    return ExitStatus.OK.code();
  }

  private void append(final Write write) {
    writes++;
    parts.computeIfAbsent(write.origin(), origin -> begin(origin, write.time())).append(write);
  }

  private PartWriter begin(final Origin origin, final long time) {
    try {
      final Path part = target.resolve(RecordedTrace.partName(origin));
      return new PartWriter(part, traceId, origin, 0, time, 0);
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
