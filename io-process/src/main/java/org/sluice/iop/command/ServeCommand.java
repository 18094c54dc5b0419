package org.sluice.iop.command;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.Progress;
import org.sluice.core.command.Subcommand;
import org.sluice.core.fault.Fault;
import org.sluice.core.posix.Speaker;
import org.sluice.core.store.objects.Silence;
import org.sluice.iop.crash.FailStop;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.MetricsEndpoint;
import org.sluice.iop.measure.Occurrence;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.service.ResumeScript;
import org.sluice.iop.session.IoProcess;
import org.sluice.iop.session.Settings;
import org.sluice.iop.wave.NewestWave;
import org.sluice.iop.wave.WaveFiles;
import picocli.CommandLine.Model.CommandSpec;

/** The command that runs an I/O process in the foreground. */
public final class ServeCommand implements Subcommand {
  /** The command's standard error, whose file is none of the program's. */
  private static final Path ERRORS = Path.of("/proc/self/fd/2");

  private static final long STEP_MILLIS = 100;
  private static final int MOST_LOOKS = 50;
  private static final int MAX_PORT = 65535;

  private final ServiceOptions options = new ServiceOptions();

  private Integer metricsPort;
  private boolean members;
  private boolean quiet;
  private boolean resumes;
  private boolean finishes;
  private boolean restarts;

  private final CommandSpec spec =
      Model.of(this, "serve")
          .describe(
              "Runs an I/O process in the foreground until SIGTERM, SIGINT or SIGHUP.",
              "Its exit status is not 0 if a checkpoint could not be committed, or if a file",
              "that is still there lacks bytes that could not be stored.")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.DAMAGED,
              ExitStatus.BUSY,
              ExitStatus.NO_ROOM,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION,
              ExitStatus.FEW_DESCRIPTORS,
              ExitStatus.CRASHED,
              ExitStatus.PREEMPTED)
          .add(options)
          .add(
              option(Integer.class, value -> metricsPort = value, "--metrics")
                  .paramLabel("PORT")
                  .description("Serve Prometheus metrics at 127.0.0.1:PORT; 0 takes a free one."))
          .add(
              flag(value -> members = value, "--members")
                  .hidden(true)
                  .description("Stop when the last member has left."))
          .add(
              flag(value -> quiet = value, "--quiet")
                  .hidden(true)
                  .description("Say nothing of what went well."))
          .add(
              flag(value -> restarts = value, "--restart")
                  .hidden(true)
                  .description("Say which checkpoint a job begins with."))
          .add(
              flag(value -> resumes = value, "--resume")
                  .description(
                      "Go on where a killed I/O process of this name left off, with its store, layout and"
                          + " buffer; begin as usual if there was none. Without it that is done only if a"
                          + " process attached to it still runs."))
          .add(
              flag(value -> finishes = value, "--finish")
                  .description("With --resume: bring to storage what was left, and end."))
          .examples(
              "  sluice serve --store /scratch/store",
              "  sluice serve --store /scratch/store --capture /scratch/run \\",
              "      --group 'step-([0-9]+)/' --metrics 9102")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    if (metricsPort != null && (metricsPort < 0 || metricsPort > MAX_PORT)) {
      throw options.usage("--metrics %d is no port: it takes 0 to 65535".formatted(metricsPort));
    }
    if (finishes && !resumes) {
      throw options.usage("--finish needs --resume: it brings to storage what was left");
    }
    ImageRegistry.checkLimit();
    StatsFile.check(options.stats());
    final Settings settings = options.settings(members);
    Silence.listen(ServeCommand::sayWaiting);
    if (restarts) {
      sayWave(settings.store().series());
    }
    try {
      return serve(settings);
    } catch (final CommandException e) {
      throw e;
    } catch (final RuntimeException e) {
      FailStop.now(e);
      throw e;
    }
  }

  /** Tells a waiting command on standard output that this process, too, waits for a server. */
  private static void sayWaiting(final String server) {
    System.out.println("waits: " + server);
    System.out.flush();
  }

  /**
   * Prints the newest checkpoint, which sluice run tells the ranks once this I/O process is ready.
   */
  private void sayWave(final Optional<String> series) {
    try {
      NewestWave.of(options.store(), series, e -> Warnings.warn(e.getMessage()))
          .ifPresent(wave -> System.out.println("checkpoint: " + wave));
    } catch (final IOException | CommandException e) {
      if (e instanceof final CommandException busy && busy.status() == ExitStatus.BUSY) {
        throw busy;
      }
      throw new CommandException(
          ExitStatus.USAGE, // another attempt of the job would change nothing
          "cannot tell the newest checkpoint of %s: %s; see sluice verify, and name another --store to begin anew"
              .formatted(options.store().location(), e.getMessage()));
    }
  }

  private Integer serve(final Settings settings) throws IOException {
    final FileTime began = FileTime.fromMillis(System.currentTimeMillis());
    if (members) {
      System.out.println("begins:"); // from here on this process heeds signals itself
      System.out.flush();
    }
    try (IoProcess process = new IoProcess(settings, resumes);
        MetricsEndpoint endpoint =
            metricsPort == null
                ? null
                : MetricsEndpoint.open(metricsPort, process.segment(), process.statistics())) {
      await(process, endpoint);
      StatsFile.write(options.stats(), process.statistics());
      if ((members || finishes) && !quiet) {
        report(process.statistics());
      }
      Fault.unreached().forEach(Speaker::say);
      if (members && !resumes && isEmpty(process, settings)) {
        sayEmpty(settings, began);
      }
      if (!members) {
        failIfLost(process.statistics());
      }
      return ExitStatus.OK.code();
    }
  }

  /**
   * Waits until the session ends. A failure here must not end the session of the processes that go
   * on.
   */
  private void await(final IoProcess process, final MetricsEndpoint endpoint) throws IOException {
    try {
      if (endpoint != null) {
        endpoint.start();
      }
      Silence.listen(server -> {});
      noteWayBack(process);
      System.out.println("ready: " + process.directory());
      if (System.out.checkError() && members && !resumes) { // no process reads further lines
        process.expectNobody();
      }
      System.out.println("pages: " + process.pages());
      System.out.println("guard: " + process.guard());
      if (endpoint != null) {
        System.out.println("metrics: " + endpoint.address());
      }
      System.out.flush();
      if (finishes) {
        process.end(false);
      } else if (resumes && !members) {
        sayWhenDrained(process);
      }
      CompletableFuture.anyOf(process.ending(), process.over()).join();
      showDrain(process);
      showCopies(process);
    } catch (final RuntimeException e) {
      FailStop.now(e);
    }
  }

  private void noteWayBack(final IoProcess process) {
    final List<String> words = options.command().commandLine().getParseResult().originalArgs();
    try {
      ResumeScript.write(process.directory(), words.subList(1, words.size()));
    } catch (final IOException e) {
      Warnings.warn("how to go on with this session should it be killed is not noted: " + e);
    }
  }

  /**
   * Prints a line once all data that a resumed session had left are saved. The user waits for that
   * line.
   */
  private static void sayWhenDrained(final IoProcess process) {
    final CompletableFuture<Void> drained = process.drained();
    CompletableFuture<List<String>> unfinished = null;
    List<String> last = List.of();
    for (int looks = 0; !process.ending().isDone() && !process.over().isDone(); ) {
      if (drained.isDone() && process.uploads().areOver()) {
        final boolean told = unfinished != null && unfinished.isDone();
        // While ranks write, the list of unfinished files changes. A list that stays the same waits
        // for ranks that are gone.
        if (told) {
          looks = unfinished.join().equals(last) ? looks + 1 : 0;
          last = unfinished.join();
          if (last.isEmpty() || looks > MOST_LOOKS) {
            sayDrained(process, last);
            return;
          }
        }
        unfinished = told || unfinished == null ? process.unfinished() : unfinished;
      }
      CompletableFuture.anyOf(process.ending(), process.over())
          .completeOnTimeout(null, STEP_MILLIS, TimeUnit.MILLISECONDS)
          .join();
    }
  }

  private static void sayDrained(final IoProcess process, final List<String> unfinished) {
    unfinished.forEach(Warnings::warn);
    System.out.println(
        unfinished.isEmpty()
                && !process.uploads().areRefused()
                && process.statistics().failure().isEmpty()
            ? "drained: what was left is drained and committed, and nothing is left to copy"
            : "drained: what was left is drained, but not all of it is committed and copied, as standard error says");
    System.out.flush();
  }

  /** Shows the progress of the drain on a terminal, until only copies are left. */
  private static void showDrain(final IoProcess process) {
    final Statistics statistics = process.statistics();
    long shown = statistics.count(Occurrence.DRAINED_BYTES);
    try (Progress progress =
        Progress.begin("drain", statistics.count(Occurrence.PUBLISHED_BYTES) - shown)) {
      while (!process.over().isDone()
          && (shown < statistics.count(Occurrence.PUBLISHED_BYTES)
              || process.uploads().bytes() == 0)) {
        step(process);
        final long drained = statistics.count(Occurrence.DRAINED_BYTES);
        progress.add(drained - shown);
        shown = drained;
      }
    }
  }

  private static void step(final IoProcess process) {
    process.over().copy().completeOnTimeout(null, STEP_MILLIS, TimeUnit.MILLISECONDS).join();
  }

  /** Shows the progress of the copies that a session waits for at its end. */
  private static void showCopies(final IoProcess process) {
    long left = process.uploads().bytes();
    try (Progress progress = Progress.begin("copy", left)) {
      while (!process.over().isDone()) {
        step(process);
        final long now = process.uploads().bytes();
        progress.add(Math.max(0, left - now));
        left = Math.min(left, now);
      }
    }
  }

  /**
   * Reports losses and the summary. The user who ran a command has no other way to learn of them.
   */
  private void report(final Statistics statistics) {
    statistics.retained().text().ifPresent(Speaker::say);
    if (statistics
        .failure()
        .filter(Failure::losesBytes)
        .isEmpty()) { // else the last line says more
      statistics.summary().ifPresent(Speaker::say);
    }
  }

  /**
   * Returns whether nothing was captured. On several nodes some ranks may write nothing. A command
   * that fails says more itself.
   */
  private static boolean isEmpty(final IoProcess process, final Settings settings) {
    return process.ending().getNow(false)
        && settings.capture().isPresent()
        && !WaveFiles.areOfAJob()
        && !process.isOfSeveralNodes()
        && process.statistics().summary().isEmpty();
  }

  private void sayEmpty(final Settings settings, final FileTime began) throws IOException {
    final Path capture = Path.of(settings.capture().get());
    final Path working = Path.of("").toRealPath();
    if (!capture.equals(
        working)) { // the working directory is the default, also for commands that write nothing
      final List<Path> others =
          new ArrayList<>(List.of(capture, settings.store().directory().toAbsolutePath()));
      if (options.stats() != null) {
        others.add(options.stats().toAbsolutePath());
      }
      if (Files.isRegularFile(ERRORS)) {
        others.add(ERRORS.toRealPath());
      }
      Speaker.say(EmptyCapture.line(capture, working, others, began));
    }
  }

  /** Members learn of a loss from the I/O process itself, and exit with the same status. */
  private static void failIfLost(final Statistics statistics) {
    final Optional<Failure> failure = statistics.failure();
    if (failure.isPresent()) {
      throw new CommandException(
          ExitStatus.of(failure.get().errno()), failure.get().line("write them again"));
    }
  }
}
