package org.sluice.iop.check;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.command.Arguments;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.Defaults;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.Subcommand;
import org.sluice.core.segment.Geometry;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineProbe;
import org.sluice.core.store.objects.Engines;
import org.sluice.iop.memory.Pages;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The command that tells what this node, a store's place and a capture directory offer. The command
 * also lists the fault points for rehearsals of recovery.
 */
public final class CheckCommand implements Subcommand {
  private static final int IMAGES = 100_000;
  private static final int CHUNK = 1 << 20;

  private final JsonOption json = new JsonOption();

  private Optional<String> capture = Optional.empty();
  private long buffer;
  private Pages pages;
  private boolean faults;
  private Optional<String> store = Optional.empty();
  private Optional<Path> stage = Optional.empty();

  private final CommandSpec spec =
      Model.of(this, "check")
          .describe(
              "Says what this node, a store's place and a capture directory offer, one line each.",
              "Each is tried as serve and run would do it: yes, limited or no, what follows, and what to"
                  + " do. Some KiB are written, and deleted at once; a check that is killed may leave a file or"
                  + " directory .sluice-check-*, which may be deleted. The status is 0 when a session can begin,"
                  + " else that with which it would end.",
              "With --faults it lists the points in the life of a checkpoint at which a fault can be asked for."
                  + " serve and run take one from the environment:"
                  + " SLUICE_FAULT=[after-]POINT[:ACTION][@N],...",
              "Without ACTION the I/O process kills itself before that step, or after it. ACTION fails the"
                  + " step with an errno (ENOSPC, EDQUOT, EIO, EROFS, ...), lets it write half at first"
                  + " (short), or kills the I/O process when half is written (torn).",
              "@N means the Nth time instead of the first, @N-M the Nth to the Mth, @N- all from the Nth"
                  + " on.")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.DAMAGED,
              ExitStatus.BUSY,
              ExitStatus.NO_ROOM,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION,
              ExitStatus.FEW_DESCRIPTORS)
          .add(json)
          .add(
              option(String.class, value -> store = Optional.ofNullable(value), "--store")
                  .paramLabel("STORE")
                  .defaultValue("${env:SLUICE_STORE}")
                  .description(
                      "Look at the place of this store, whether it exists or not, or only whether nodes"
                          + " can share a URI such as s3://BUCKET/PREFIX; default: environment SLUICE_STORE."))
          .add(
              option(Path.class, value -> stage = Optional.ofNullable(value), "--stage")
                  .paramLabel("DIR")
                  .defaultValue("${env:SLUICE_STAGE}")
                  .description(
                      "Look at the stage of a store that is a URI, whether it exists or not; default:"
                          + " environment SLUICE_STAGE."))
          .add(
              option(String.class, value -> capture = Optional.ofNullable(value), "--capture")
                  .paramLabel("DIR")
                  .defaultValue("${env:SLUICE_CAPTURE}")
                  .description(
                      "Look at this capture directory; default: environment SLUICE_CAPTURE."))
          .add(
              option(Long.class, value -> buffer = value, "--buffer")
                  .paramLabel("SIZE")
                  .defaultValue("${sys:" + Defaults.BUFFER + ":-512M}")
                  .converters(new SizeConverter())
                  .description(
                      "Look whether a buffer of this size has room; default: ${DEFAULT-VALUE}."))
          .add(
              option(Pages.class, value -> pages = value, "--pages")
                  .paramLabel("auto|huge|small")
                  .defaultValue("auto")
                  .description("Pages of the buffer, as for serve. Default: ${DEFAULT-VALUE}."))
          .add(
              flag(value -> faults = value, "--faults")
                  .description("List the fault points, and look at nothing."))
          .examples(
              "  sluice check",
              "  sluice check --store /scratch/store --capture /scratch/run --buffer 4G",
              "  mpirun -n 2 --map-by node sluice check --store /shared/store --json",
              "  sluice check --faults",
              "  SLUICE_FAULT=after-log-fsync sluice serve --store /scratch/store",
              "  sluice serve --store /scratch/store --resume    # goes on after that",
              "  SLUICE_FAULT=container-write:ENOSPC@3- sluice run --store /scratch/store \\",
              "      --capture /scratch/run --layout container -- ./app",
              "  sluice check --store s3://bucket/run1 --stage /local/sluice")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    if (faults && json.wanted()) {
      json.print(FaultTable.toJson());
    } else if (faults) {
      FaultTable.print(spec.commandLine().getOut());
    } else if (store.filter(Engines::isUri).isPresent()) {
      lookAtStorage(store.get());
    } else {
      look();
    }
    return ExitStatus.OK.code();
  }

  /** Looks at storage behind a URI, by writing an object there and deleting it. */
  private void lookAtStorage(final String uri) throws IOException {
    try (Engine engine = Engines.open(uri)) {
      EngineProbe.conditionalCreate(engine);
      final Checks checks = new Checks(geometry());
      if (stage.isPresent()) {
        checks.stage(stage.get());
      }
      if (json.wanted()) {
        json.print(
            new JsonObject()
                .with("store", engine.toString())
                .with("conditional_create", true)
                .with(checks.toJson()));
      } else {
        final PrintWriter out = spec.commandLine().getOut();
        out.printf("%s: of two objects of one name the first stays%n", engine);
        if (stage.isPresent()) {
          checks.print(out);
        }
        out.flush();
      }
      refuse(checks);
    }
  }

  private static void refuse(final Checks checks) {
    final Optional<CommandException> refusal = checks.refusal();
    if (refusal.isPresent()) {
      throw refusal.get();
    }
  }

  private void look() throws IOException {
    final Checks checks = new Checks(geometry());
    checks.node(pages, capture.isPresent());
    final Optional<Path> place = store.map(Path::of);
    if (place.isPresent()) {
      checks.store(place.get());
    } else if (stage.isPresent()) {
      checks.stage(stage.get());
    }
    if (capture.isPresent()) {
      checks.capture(Arguments.exactValue(capture.get()), place);
    }
    if (json.wanted()) {
      json.print(checks.toJson());
    } else {
      checks.print(spec.commandLine().getOut());
    }
    refuse(checks);
  }

  private Geometry geometry() {
    if (buffer < CHUNK || buffer / CHUNK > Geometry.MAX_CHUNK_COUNT) {
      throw new ParameterException(
          spec.commandLine(),
          "--buffer has to hold from 1 to %d chunks of %d bytes, not %d bytes"
              .formatted(Geometry.MAX_CHUNK_COUNT, CHUNK, buffer));
    }
    return Geometry.of(IMAGES, buffer, CHUNK);
  }
}
