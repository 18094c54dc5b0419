package org.sluice.iop.wave;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.format.SealedJson;
import org.sluice.iop.measure.Warnings;

/**
 * The waves of a store's jobs: a line of JSON for what became of each, and one on standard error. A
 * number that was begun is never begun again, in no run.
 */
final class WaveLog {
  /** The number of last lines that stay, and of the waves that are remembered as begun. */
  private static final int KEPT = 5000;

  private static final String AGAIN = "again";

  private final WaveFiles files;
  private int length; // in lines
  private boolean torn; // a disk that got full may have taken the beginning of a line
  private boolean warned;
  private long last;
  private Open open;
  private boolean due;
  private String chosen;

  /** A wave of which the log does not say what became of it. */
  record Open(long number, String protocol) {}

  /**
   * @param store the directory of this node's own store, which may be one of a series
   */
  WaveLog(final Path store) {
    this.files = WaveFiles.ofNode(store);
    try {
      cutTorn();
      final List<IOException> damage = new ArrayList<>();
      recall(files.lines(damage::add));
      if (!damage.isEmpty()) {
        Warnings.warn(
            "%s; %d such lines are deleted"
                .formatted(damage.getFirst().getMessage(), damage.size()));
        shorten();
      }
    } catch (final IOException e) {
      warn(e);
    }
  }

  private void recall(final List<Map<String, Object>> lines) {
    length = lines.size();
    for (final Map<String, Object> line : lines) {
      if (line.get("checkpoint") instanceof final Number number) {
        last = Math.max(last, number.longValue());
      }
      if (line.get("chosen") instanceof final String name) {
        chosen = name;
      }
    }
    due = !lines.isEmpty() && Boolean.TRUE.equals(lines.getLast().get(AGAIN));
    WaveFiles.open(lines)
        .ifPresent(
            line ->
                open =
                    new Open(
                        ((Number) line.get("checkpoint")).longValue(),
                        String.valueOf(line.get("protocol"))));
  }

  /** The last number that was begun when this coordinator came; 0 for none. */
  long last() {
    return last;
  }

  /** The protocol that was chosen last for a job that did not ask for one; null for none. */
  String chosen() {
    return chosen;
  }

  /** The last wave that was begun by then, if it had not ended. */
  Optional<Open> open() {
    return Optional.ofNullable(open);
  }

  /** Returns whether the last wave was given up to be tried again, and nothing came of that yet. */
  boolean isDue() {
    return due;
  }

  /** Cuts the line that a crash left unfinished, so that the next entry begins a line. */
  private void cutTorn() throws IOException {
    try {
      final String all = Files.readString(files.log(), StandardCharsets.ISO_8859_1);
      try (FileChannel log = FileChannel.open(files.log(), StandardOpenOption.WRITE)) {
        log.truncate(all.lastIndexOf('\n') + 1);
      }
    } catch (final NoSuchFileException none) {
      Files.createFile(files.log());
      syncFolder();
    }
  }

  private void syncFolder() throws IOException {
    try (NativeFile folder = NativeFile.open(files.folder(), NativeFile.Flag.DIRECTORY)) {
      folder.sync();
    }
  }

  /** Returns whether a user asks for a wave, from any node, and takes the question away. */
  boolean isAsked() {
    try {
      return Files.deleteIfExists(files.asking());
    } catch (final IOException e) {
      warn(e);
      return false;
    }
  }

  void began(final Job job) {
    delete(files.ended());
    append(
        new JsonObject()
            .with("what", job.restored() < 0 ? "start" : "restart")
            .with("ranks", job.ranks())
            .with("attempt", job.attempt())
            .with("from", job.restored() < 0 ? null : job.restored()));
    if (job.restored() >= 0) {
      final String begin = job.ranks() == 1 ? "1 rank begins" : job.ranks() + " ranks begin";
      say("%s with checkpoint %d".formatted(begin, job.restored()));
    }
  }

  /** Durable, as its images are: a restart takes only what was begun here. */
  void begun(final WaveFigures wave) throws IOException {
    write(line(wave, "begun"), StandardOpenOption.APPEND, StandardOpenOption.DSYNC);
  }

  /** Tells users who ask for the status how far a wave is. They may read half a line of it. */
  void underWay(final WaveFigures wave, final String waiting) {
    try {
      Files.createDirectories(files.progress().getParent());
      Files.writeString(
          files.progress(),
          JSON.std.asString(
              line(wave, "under way")
                  .with("seconds", wave.seconds())
                  .with("waiting", waiting)
                  .with("bytes", wave.bytes())
                  .with("late", wave.late())
                  .with("early", wave.early())));
    } catch (final IOException e) {
      warn(e);
    }
  }

  void nothingUnderWay() {
    delete(files.progress());
  }

  private void delete(final Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (final IOException e) {
      warn(e);
    }
  }

  /** No wave can be any more, or a user asks for such a one. */
  void tooLate(final String why) {
    append(new JsonObject().with("what", "refused").with("why", why));
    say("no checkpoint is taken any more: " + why);
  }

  /**
   * Tells that all ranks have come to MPI_Finalize, which not every launcher's exit status does. On
   * a full disk that has no room for a line, a name has some.
   */
  void ended() {
    try {
      write(new JsonObject().with("what", "ended"), StandardOpenOption.APPEND);
    } catch (final IOException e) {
      warn(e);
      nameEnd();
    }
  }

  private void nameEnd() {
    try {
      Files.createDirectories(files.ended().getParent());
      Files.createFile(files.ended());
    } catch (final IOException e) {
      warn(e);
    }
  }

  /**
   * No recovery begins with it.
   *
   * @param again whether it is tried again: who waits for it waits for the next one
   */
  void givenUp(final WaveFigures wave, final String why, final boolean again) {
    append(line(wave, "given up").with("why", why).with(AGAIN, again ? true : null));
  }

  /** Says so to users: at the end of a job there is nothing to say. */
  void sayGivenUp(final WaveFigures wave, final String why) {
    say("checkpoint %d is given up: %s".formatted(wave.number(), why));
  }

  /** Logs a wave that was decided, and could not be made durable: no recovery begins with it. */
  void failed(final WaveFigures wave, final String why) {
    append(line(wave, "failed").with("why", why));
    say("checkpoint %d is whole, but not durable: %s".formatted(wave.number(), why));
  }

  /** Logs a wave that a former coordinator decided, whose figures are lost. */
  void committedBefore(final WaveFigures wave) {
    append(line(wave, "committed"));
    say("checkpoint %d is durable; its coordinator was killed meanwhile".formatted(wave.number()));
  }

  /**
   * Logs a wave that is durable.
   *
   * @param choice of the protocol; if it was made since the last wave, what it rests on is said
   */
  void committed(final WaveFigures wave, final ProtocolChoice choice) {
    final String why = choice.why();
    final Snapshots snapshots = wave.snapshots();
    final boolean compared = snapshots.areCompared();
    append(
        line(wave, "committed")
            .with("chosen", why.isEmpty() ? null : choice.protocol().name())
            .with("choice", why.isEmpty() ? null : why)
            .with("seconds_held_mean", wave.meanHeld())
            .with("seconds_held_most", wave.mostHeld())
            .with("seconds_to_durable", wave.seconds())
            .with("bytes", wave.bytes())
            .with("reused_bytes", wave.reused())
            .with("late", wave.late())
            .with("early", wave.early())
            .with("events", wave.events())
            .with("snapshot", snapshots.way())
            .with("seconds_by_copy", compared ? snapshots.copySeconds() : null)
            .with("seconds_by_fork", compared ? snapshots.forkSeconds() : null));
    say(
        "checkpoint %d is durable after %.3f s: %s of %d ranks%s, each held up %.3f s, %s, %d late and %d early messages, %d events%s"
            .formatted(
                wave.number(),
                wave.seconds(),
                SizeConverter.format(wave.bytes()),
                wave.ranks(),
                wave.reused() == 0
                    ? ""
                    : ", %s not written again".formatted(SizeConverter.format(wave.reused())),
                wave.meanHeld(),
                snapshots.said(),
                wave.late(),
                wave.early(),
                wave.events(),
                why.isEmpty() ? "" : "; " + why));
  }

  private static JsonObject line(final WaveFigures wave, final String what) {
    return new JsonObject()
        .with("what", what)
        .with("checkpoint", wave.number())
        .with("protocol", wave.protocol())
        .with("ranks", wave.ranks());
  }

  private void append(final Map<String, Object> what) {
    try {
      write(what, StandardOpenOption.APPEND);
    } catch (final IOException e) {
      warn(e);
    }
  }

  private void write(final Map<String, Object> what, final OpenOption... how) throws IOException {
    if (torn) {
      cutTorn();
    }
    final JsonObject line =
        new JsonObject().with("at", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
    line.putAll(what);
    torn = true;
    Files.write(files.log(), SealedJson.line(line), how);
    torn = false;
    if (++length > 2 * KEPT) {
      shorten();
    }
  }

  /** A job may run for months. */
  private void shorten() {
    length = KEPT;
    try {
      Files.createDirectories(files.draft().getParent());
      try (OutputStream draft = new BufferedOutputStream(Files.newOutputStream(files.draft()))) {
        for (final Map<String, Object> line : needed(files.lines(damaged -> {}))) {
          draft.write(SealedJson.line(line));
        }
      }
      try (NativeFile draft = NativeFile.open(files.draft())) {
        draft.sync();
      }
      Files.move(files.draft(), files.log(), StandardCopyOption.ATOMIC_MOVE);
      syncFolder();
    } catch (final IOException e) {
      warn(e);
    }
  }

  /**
   * The last lines, and what a restart needs of those before: which checkpoints are waves, and the
   * choice of a protocol.
   */
  private static Deque<Map<String, Object>> needed(final List<Map<String, Object>> lines) {
    final Set<Object> givenUp =
        lines.stream()
            .filter(line -> "given up".equals(line.get("what")))
            .map(line -> line.get("checkpoint"))
            .collect(Collectors.toSet());
    final Deque<Map<String, Object>> needed = new ArrayDeque<>();
    int seen = 0;
    int waves = 0;
    boolean chosen = false;
    for (final Map<String, Object> line : lines.reversed()) {
      final boolean isWave =
          "begun".equals(line.get("what")) && !givenUp.contains(line.get("checkpoint"));
      final boolean chooses = line.get("chosen") != null;
      if (seen++ < KEPT || isWave && waves < KEPT || chooses && !chosen) {
        needed.addFirst(line);
      }
      waves += isWave ? 1 : 0;
      chosen |= chooses;
    }
    return needed;
  }

  private void warn(final IOException e) {
    if (!warned) {
      warned = true;
      Warnings.warn(
          "what becomes of checkpoints cannot be written to %s: %s".formatted(files.log(), e));
    }
  }

  private static void say(final String line) {
    System.err.println("sluice mpi: " + line);
  }
}
