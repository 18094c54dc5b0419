package org.sluice.iop.wave;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.StoreOption;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.directory.JobLock;
import org.sluice.core.store.directory.SeriesFormat;
import org.sluice.core.store.format.JsonText;
import org.sluice.core.store.format.SealedJson;
import org.sluice.core.store.node.PosixReader;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.core.store.stage.StagePlace;

/**
 * The files by which a job's coordinator says what becomes of waves, and is asked for one.
 *
 * @param folder where they lie: the store, or the folder of its series; of a bucket's series that
 *     on the stage of rank 0's node
 */
public record WaveFiles(Path folder) {
  private static final long ASKING_MILLIS = 20;

  /** Says that ranks of an MPI job will have waves. */
  private static final String JOB = "SLUICE_MPI_LAYER";

  /** Set by sluice mpi for sluice run. */
  private static final String ALONE = "SLUICE_MPI_BESIDE";

  /** Set by sluice run where the I/O process of that sluice run has the waves for the job. */
  private static final String TAKEN = "SLUICE_MPI_TAKEN";

  /** The variable that says how often the command was run before. */
  private static final String ATTEMPT = "SLUICE_MPI_ATTEMPT";

  /** The time for which the I/O process of the attempt before may be at its end. */
  private static final Duration FAREWELL = Duration.ofSeconds(20);

  /**
   * The files of a job that has run.
   *
   * @param series the series' name, heeded in a store that has series
   * @param stage where they are if the store is in a bucket
   */
  public static WaveFiles of(
      final StoreOption store, final String series, final Optional<Path> stage) throws IOException {
    final WaveFiles files =
        store.isElsewhere()
            ? new WaveFiles(StagePlace.series(needed(stage, store), store.location(), series))
            : in(store.directory(), series);
    if (!files.areThere()) {
      final boolean inSeries = store.isElsewhere() || SeriesDirectory.is(store.directory());
      final String others = inSeries ? String.join(", ", files.otherSeries()) : "";
      throw new CommandException(
          ExitStatus.FAILED,
          "there are no checkpoints in %s; %s"
              .formatted(
                  files.folder(),
                  others.isEmpty()
                      ? "run a job there with sluice mpi"
                      : "there are in other series, to be named with --series: " + others));
    }
    return files;
  }

  /** The names of those that have waves. */
  private List<String> otherSeries() throws IOException {
    final Path all = folder.toAbsolutePath().getParent();
    return !Files.isDirectory(all)
        ? List.of()
        : Names.in(all).stream()
            .filter(series -> new WaveFiles(series).areThere())
            .map(series -> series.getFileName().toString())
            .sorted()
            .toList();
  }

  /** The files of a job that may have run. */
  static WaveFiles in(final Path store, final String series) {
    return new WaveFiles(SeriesDirectory.is(store) ? store.resolve(series) : store);
  }

  /** Returns whether a job has its waves here. */
  public boolean areThere() {
    return Files.exists(log());
  }

  private static Path needed(final Optional<Path> stage, final StoreOption store) {
    return stage.orElseThrow(
        () ->
            new CommandException(
                ExitStatus.USAGE,
                "what becomes of checkpoints in %s is on the stage of rank 0's node; give --stage DIR there"
                    .formatted(store.location())));
  }

  public static WaveFiles ofNode(final Path store) {
    final Path parent = store.toAbsolutePath().getParent();
    final boolean part = SeriesDirectory.Place.of(store).isPresent() || isOnStage(store);
    return new WaveFiles(part ? parent.getParent() : store);
  }

  private static boolean isOnStage(final Path store) {
    try {
      return StagePlace.of(store).isPresent();
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether ranks of an MPI job will have waves. */
  public static boolean areOfAJob() {
    return System.getenv(JOB) != null;
  }

  /** Returns whether this process is the only I/O process of an MPI job that will have waves. */
  public static boolean areOfThisProcess() {
    return System.getenv(ALONE) != null;
  }

  /**
   * Returns whether this process is the only one of its job that has waves in a store.
   *
   * @param store a node's own: the other nodes of a job have theirs in other ones, but for a series
   * @return false also where another process has taken them for the job
   */
  public static boolean areOfThisProcess(final Path store) {
    return areOfThisProcess()
        || areOfAJob() && System.getenv(TAKEN) == null && ofNode(store).folder().equals(store);
  }

  /**
   * Returns for how long the I/O process of the attempt before may be at its end; zero where there
   * was none.
   */
  public static Duration farewell() {
    final String attempt = System.getenv(ATTEMPT);
    return attempt == null || attempt.equals("0") ? Duration.ZERO : FAREWELL;
  }

  /**
   * Takes them for one job: two would begin with each other's waves, and remove them. A restart
   * waits for the I/O process of the attempt before.
   *
   * @return what has them until it is closed
   * @throws CommandException when another job has them
   */
  public NativeFile take() throws IOException {
    final long end = System.nanoTime() + farewell().toNanos();
    Optional<NativeFile> taken = JobLock.tryTake(folder);
    while (taken.isEmpty() && System.nanoTime() < end) {
      LockSupport.parkNanos(ASKING_MILLIS * 1_000_000);
      taken = JobLock.tryTake(folder);
    }
    return taken.orElseThrow(
        () ->
            new CommandException(
                ExitStatus.BUSY,
                "another job of sluice mpi has its checkpoints in %s; wait for its end or name another --store"
                    .formatted(folder)));
  }

  Path log() {
    return folder.resolve(PosixReader.WAVES);
  }

  /** Returns the path of a shorter log in the making. */
  Path draft() {
    return folder.resolve("mpi/log");
  }

  /** Says that all ranks have come to MPI_Finalize, where the log cannot. */
  Path ended() {
    return folder.resolve("mpi/ended");
  }

  /** Is there while a user asks for a wave. */
  Path asking() {
    return folder.resolve("mpi/ask");
  }

  /** Is locked by the user who asks. */
  private Path turn() {
    return folder.resolve("mpi/turn");
  }

  /** Says how far a wave is. */
  Path progress() {
    return folder.resolve("mpi/under-way");
  }

  /**
   * Reads the lines of the log, in their order, each an object of JSON. A line that a crash cut is
   * left out.
   */
  public List<Map<String, Object>> lines(final Consumer<IOException> damage) throws IOException {
    return SealedJson.lines(log(), damage);
  }

  /**
   * Returns the line of the wave of which a log does not say what became; empty when none is open.
   */
  public static Optional<Map<String, Object>> open(final List<Map<String, Object>> lines) {
    return lines.stream()
        .filter(line -> line.get("checkpoint") instanceof Number)
        .reduce((former, last) -> last)
        .filter(last -> "begun".equals(last.get("what")));
  }

  /** Reads what the wave under way waits for; empty when none is, or it has just begun. */
  public Optional<Map<String, Object>> underWay() throws IOException {
    try {
      return parse(Files.readString(progress(), StandardCharsets.UTF_8));
    } catch (final NoSuchFileException none) {
      return Optional.empty();
    }
  }

  /**
   * Asks for a wave. A job takes the question away, whatever it is at. A question that no job takes
   * is withdrawn: the next job would have it. Users ask one after the other, as one's withdrawal
   * would look to another as if a job had taken its question.
   *
   * @param patience how long a job may take to see it
   * @return whether a job has taken it
   */
  public boolean ask(final Duration patience) throws IOException, InterruptedException {
    final long end = System.nanoTime() + patience.toNanos();
    SeriesFormat.createFolder(asking().getParent());
    try (NativeFile turn = NativeFile.open(turn(), NativeFile.Flag.WRITE, NativeFile.Flag.CREATE)) {
      while (!turn.tryLock()) {
        if (System.nanoTime() >= end) {
          return false;
        }
        Thread.sleep(ASKING_MILLIS);
      }
      return askInTurn(end);
    }
  }

  private boolean askInTurn(final long end) throws IOException, InterruptedException {
    Files.write(asking(), new byte[0]);
    while (Files.exists(asking()) && System.nanoTime() < end) {
      Thread.sleep(ASKING_MILLIS);
    }
    return !Files.deleteIfExists(asking());
  }

  private static Optional<Map<String, Object>> parse(final String line) {
    try {
      return line.isEmpty() ? Optional.empty() : Optional.of(JsonText.membersWithFractions(line));
    } catch (final IOException cut) {
      return Optional.empty();
    }
  }
}
