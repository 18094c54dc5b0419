package org.sluice.iop.check;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.fault.Fault;
import org.sluice.core.segment.Geometry;
import org.sluice.iop.check.Section.Finding;
import org.sluice.iop.memory.Pages;
import org.sluice.iop.session.RuntimeDirectory;

/** The findings about a node, the place of a store and a capture directory. */
final class Checks {
  private static final long PATIENCE_SECONDS = 10;

  private final List<Section> sections = new ArrayList<>();
  private final Geometry geometry;
  private final long buffer;

  /**
   * @param geometry geometry of the segment that a session would have
   */
  Checks(final Geometry geometry) {
    this.geometry = geometry;
    this.buffer = geometry.buffer();
  }

  /**
   * Looks at this node, with a runtime directory as a session has it, if one can be made.
   *
   * @param guarded true if {@link #capture} will look at the guard of captured files
   */
  void node(final Pages pages, final boolean guarded) throws IOException {
    final NodeChecks checks = new NodeChecks(begin("node", null), geometry);
    final RuntimeDirectory directory;
    try {
      directory = RuntimeDirectory.take("check-" + ProcessHandle.current().pid());
    } catch (final IOException | CommandException e) {
      checks.makeWithout(e);
      return;
    }
    try (directory) {
      checks.make(directory, pages, guarded);
    }
  }

  void store(final Path store) throws IOException {
    final Section section = begin("store", store.toString());
    inTime(section, () -> new StoreChecks(section, buffer).make(store));
  }

  void stage(final Path stage) throws IOException {
    final Section section = begin("stage", stage.toString());
    inTime(section, () -> new StoreChecks(section, buffer).makeStage(stage));
  }

  /**
   * @param capture its path, existing or not, see {@link org.sluice.core.posix.FileName}
   * @param store path of the store, existing or not; empty for an unknown one
   */
  void capture(final String capture, final Optional<Path> store) throws IOException {
    final Section section = begin("capture", capture);
    inTime(section, () -> new StoreChecks(section, buffer).makeCapture(capture, store));
  }

  private Section begin(final String about, final String path) {
    final Section section = new Section(about, path);
    sections.add(section);
    return section;
  }

  /**
   * Runs a step with a time limit. A server that is gone holds it up for some seconds only; a
   * thread of its own waits on.
   */
  private static void inTime(final Section section, final Fault.Step<IOException> step)
      throws IOException {
    final FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              step.run();
              return null;
            });
    Thread.ofPlatform().daemon().name("check").start(task);
    try {
      task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (final TimeoutException e) {
      section.stop(
          "answer",
          ExitStatus.FAILED,
          "nothing further in %d s".formatted(PATIENCE_SECONDS),
          "see whether the file system's server can be reached");
    } catch (final ExecutionException e) {
      if (!(e.getCause() instanceof final IOException failure)) {
        throw new IllegalStateException(e.getCause());
      }
      section.stop("answer", failure);
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  void print(final PrintWriter out) {
    sections.forEach(section -> section.print(out));
    if (refusal().isEmpty()) {
      out.println("ready: a session can begin");
    }
    out.flush();
  }

  /** Returns all findings, by names that stay the same. */
  JsonObject toJson() {
    return new JsonObject()
        .with("status", refusal().map(CommandException::status).orElse(ExitStatus.OK).code())
        .with("findings", sections.stream().flatMap(section -> section.toJson().stream()).toList());
  }

  /** Returns the failure of a session; empty when it can begin. */
  Optional<CommandException> refusal() {
    return sections.stream()
        .flatMap(section -> section.findings().stream())
        .filter(Finding::stops)
        .findFirst()
        .map(finding -> new CommandException(finding.status(), finding.text()));
  }
}
