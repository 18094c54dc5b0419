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
import org.sluice.core.posix.Names;
import org.sluice.core.segment.Geometry;
import org.sluice.iop.memory.Pages;

/** Looks at a node, a store's place and a capture directory, and keeps what was found. */
public final class Checks {
  private static final long PATIENCE_SECONDS = 10;

  private final List<Section> sections = new ArrayList<>();
  private final Geometry geometry;

  /**
   * Nothing was looked at so far.
   *
   * @param geometry of the segment that a session would have
   */
  public Checks(final Geometry geometry) {
    this.geometry = geometry;
  }

  /**
   * Looks at this node.
   *
   * @param directory a runtime directory as a session has it, on which the caller has the lock
   * @param scratch a directory below it, to be made, that goes with it
   * @param pages what the segment is to lie on
   * @param guarded whether captured files will be there, to be looked at by {@link #capture}
   * @throws IOException when the kernel does not tell
   */
  public void node(
      final Path directory, final Path scratch, final Pages pages, final boolean guarded)
      throws IOException {
    final NodeChecks checks = new NodeChecks(begin("node", null), geometry);
    checks.buffer(directory, pages);
    Names.createDirectory(scratch.toString());
    checks.asyncWrites(scratch);
    checks.make();
    if (!guarded) {
      checks.guard(scratch);
    }
  }

  /**
   * Looks at this node, where there can be no runtime directory.
   *
   * @param refusal why not
   * @throws IOException when the kernel does not tell
   */
  public void node(final Exception refusal) throws IOException {
    final Section section = begin("node", null);
    section.stop("runtime_directory", refusal);
    new NodeChecks(section, geometry).make();
  }

  /**
   * Looks at the place of a store.
   *
   * @param store where it is, or is to be
   * @throws IOException when the kernel does not tell
   */
  public void store(final Path store) throws IOException {
    final Section section = begin("store", store.toString());
    inTime(section, new StoreChecks(section, store, buffer())::make);
  }

  /**
   * Looks at a stage.
   *
   * @param stage where it is, or is to be
   * @throws IOException when the kernel does not tell
   */
  public void stage(final Path stage) throws IOException {
    final Section section = begin("stage", stage.toString());
    inTime(section, new StoreChecks(section, stage, buffer())::makeStage);
  }

  /**
   * Looks at a capture directory.
   *
   * @param capture where it is, or is to be, see {@link org.sluice.core.posix.FileName}
   * @param store where the store is, or is to be; null when that is not said
   * @throws IOException when the kernel does not tell
   */
  public void capture(final String capture, final Path store) throws IOException {
    final Section section = begin("capture", capture);
    inTime(section, new CaptureChecks(section, capture, store, buffer())::make);
  }

  private long buffer() {
    return (long) geometry.chunkCount() * geometry.chunkLength();
  }

  private Section begin(final String about, final String path) {
    final Section section = new Section(about, path);
    sections.add(section);
    return section;
  }

  /** A server that is gone would be waited for without end, by this process alone. */
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
      if (e.getCause() instanceof final IOException failure) {
        section.stop("answer", failure);
      } else {
        throw new IllegalStateException(e.getCause());
      }
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /**
   * Prints all, one line each.
   *
   * @param out where to
   */
  public void print(final PrintWriter out) {
    sections.forEach(section -> section.print(out));
    if (refusal().isEmpty()) {
      out.println("ready: a session can begin");
    }
    out.flush();
  }

  /**
   * All of it.
   *
   * @return members whose names stay the same
   */
  public JsonObject toJson() {
    return new JsonObject()
        .with("status", refusal().map(CommandException::status).orElse(ExitStatus.OK).code())
        .with("findings", sections.stream().flatMap(section -> section.toJson().stream()).toList());
  }

  /**
   * Why there can be no session.
   *
   * @return how it would end; empty when nothing is in its way
   */
  public Optional<CommandException> refusal() {
    return sections.stream()
        .flatMap(section -> section.findings().stream())
        .filter(Finding::stops)
        .findFirst()
        .map(finding -> new CommandException(finding.status(), finding.text()));
  }
}
