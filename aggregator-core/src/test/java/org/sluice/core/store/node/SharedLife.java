package org.sluice.core.store.node;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommitSource;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.ImageAttributes;
import org.sluice.core.store.model.JobCoverage;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.core.store.series.FencedException;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartsCheck;
import org.sluice.core.store.series.SeriesRun;

/**
 * Two nodes that commit to one series, each what it has in a store of its own: processes that are
 * killed and come back, a run that another one follows, rounds that supersede others, removals.
 * Knows what each node was told, and where the disk's log was then.
 */
final class SharedLife {
  static final int NODES = 2;

  static final String SERIES = "default";
  private static final int STEPS = 60;

  private final Random random;
  private final LoggedDisk disk;
  private final SeriesDirectory directory;
  private final Path capture;
  private final List<Process> processes = new ArrayList<>();
  private final List<Told> told = new ArrayList<>();
  private final List<Removed> removed = new ArrayList<>();
  private final int first;
  private int runs;
  private int nextFile;

  /** That a checkpoint is committed, a node was told at a position of the log. */
  record Told(int node, Round round, int position) {}

  /** That it lets a checkpoint go, a node began to say at a position. */
  record Removed(int node, Round round, int position) {}

  /** A checkpoint by one round of writing of one run. */
  record Round(int run, long number, long round) {
    /** What the image of a rank has. */
    byte[] bytes(final int rank) {
      final byte[] bytes = new byte[700];
      new Random(run + 10 * number + 1000 * round + 10_000 * rank).nextBytes(bytes);
      return bytes;
    }

    /** What a node commits for itself, with a new file that it writes. */
    Draft draft(final NativeFile file, final int rank) throws IOException {
      final byte[] bytes = bytes(rank);
      try (Arena arena = Arena.ofConfined()) {
        final long address = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes).address();
        file.pwrite(address, bytes.length, 0);
      }
      final DraftImage image =
          new DraftImage(
              new ImageAttributes("rank" + rank, rank, NODES, 0600, bytes.length, 1),
              List.of(),
              FileSource.of(file),
              false,
              null);
      return new Draft(
          number,
          "",
          new CommitSource("n" + rank, job(), Origin.UNKNOWN, StoreFixture.SESSION),
          new JobCoverage(NODES, RankSet.of(IntStream.of(rank))),
          Layout.FILES,
          Completion.API,
          List.of(image));
    }

    String job() {
      return run + " " + number + " " + round;
    }

    static Round of(final String job) {
      final String[] words = job.split(" ");
      return new Round(
          Integer.parseInt(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    /** Whether it counts in place of another one, once it is committed. */
    boolean replaces(final Round other) {
      return number == other.number
          && (run > other.run || run == other.run && round >= other.round);
    }
  }

  SharedLife(final Path root, final Random random, final BiPredicate<Path, Set<String>> leftOut)
      throws IOException {
    this.random = random;
    this.directory = SeriesDirectory.create(root.resolve("store"));
    directory.make(SERIES);
    directory.place(SERIES, 1, "n0");
    capture = Files.createDirectory(root.resolve("capture"));
    this.disk = new LoggedDisk(root).leaveOut(leftOut);
    this.first = disk.position();
  }

  LoggedDisk disk() {
    return disk;
  }

  List<Told> told() {
    return told;
  }

  List<Removed> removed() {
    return removed;
  }

  /** Lets it happen. */
  void live() throws IOException {
    startRun();
    for (int i = 0; i < STEPS; i++) {
      if (processes.isEmpty() || runs < 3 && random.nextInt(STEPS / 2) == 0) {
        startRun();
      }
      step(processes.get(random.nextInt(processes.size())));
    }
  }

  private void startRun() {
    for (int node = 0; node < NODES; node++) {
      processes.add(new Process(node, runs, 1));
    }
    runs++;
  }

  private void step(final Process process) throws IOException {
    disk.actAs(process.node);
    if (random.nextInt(8) == 0) {
      disk.stopAt(disk.position() + random.nextInt(25));
    }
    try {
      process.step();
      disk.stopAt(Integer.MAX_VALUE);
    } catch (final FencedException fenced) {
      end(process);
    } catch (final LoggedDisk.Stopped killed) {
      end(process);
      if (random.nextInt(3) > 0) {
        processes.add(new Process(process.node, process.run, process.number + random.nextInt(2)));
      }
    }
  }

  private void end(final Process process) throws IOException {
    processes.remove(process);
    disk.stopAt(Integer.MAX_VALUE);
    process.close();
  }

  /** A node's I/O process; what it does next is a step. */
  private final class Process {
    private final int node;
    private final int run;
    private final Engine engine = new DirectoryEngine(directory.root().resolve(SERIES), disk);
    private final List<Commit> parts = new ArrayList<>();
    private final List<NativeFile> files = new ArrayList<>();
    private SeriesRun series;
    private PosixStore store;
    private long number;
    private long round;
    private Commit part;
    private boolean put;

    Process(final int node, final int run, final long number) {
      this.node = node;
      this.run = run;
      this.number = number;
    }

    private Round now() {
      return new Round(run, number, round);
    }

    void step() throws IOException {
      if (series == null) {
        series = SeriesRun.join(engine, "r" + run, "n" + node);
        final Path path = directory.place(SERIES, series.begin(), "n" + node).path();
        store = PosixStore.create(path, disk, true);
        find();
      } else if (part == null) {
        store.commit(draft(), commit -> part = commit);
      } else if (!put) {
        final byte[] bytes = new StoredPart(part, store.images(part)).encode();
        series.put(key(), List.of(ByteBuffer.wrap(bytes)));
        put = true;
      } else if (isCommitted()) {
        told.add(new Told(node, now(), disk.position()));
        retain();
        next();
      }
    }

    /**
     * What a former process has committed for itself; numbers that it began are not gone on with.
     */
    private void find() throws IOException {
      for (final Commit commit : store.commits()) {
        number = Math.max(number, commit.number() + 1);
      }
    }

    private boolean isCommitted() throws IOException {
      return random.nextBoolean()
          ? series.isCommitted(key(), NODES)
          : series.commit(key(), series.parts(key()), NODES, PartsCheck.NONE).isEmpty();
    }

    private PartKey key() {
      return series.part(number, round, 0, RankSet.of(IntStream.of(node)));
    }

    private void next() {
      final boolean again = round == 0 && number % 3 == 0;
      round = again ? 1 : 0;
      number += again ? 0 : 1;
      part = null;
      put = false;
    }

    /** One number stays, and of that the last round. */
    private void retain() throws IOException {
      for (final Commit older : parts) {
        if (older.number() < number) {
          final Round gone = new Round(run, older.number(), older.number() % 3 == 0 ? 1 : 0);
          removed.add(new Removed(node, gone, disk.position()));
          series.remove(gone.number, gone.round);
        }
        store.remove(older);
      }
      parts.clear();
      parts.add(part);
    }

    private Draft draft() throws IOException {
      final NativeFile file =
          disk.open(capture.resolve("image" + nextFile++), Flag.WRITE, Flag.CREATE);
      files.add(file);
      return now().draft(file, node);
    }

    void close() throws IOException {
      for (final NativeFile file : files) {
        file.close();
      }
      if (store != null) {
        store.close();
      }
    }
  }

  /**
   * Where the power may fail on each node: anywhere on one, and on the other one behind all of its
   * changes that the first can have seen.
   */
  int[] cuts() {
    final int[] cuts = new int[NODES];
    final int last = random.nextInt(NODES);
    cuts[last] = first + random.nextInt(disk.position() - first + 1);
    final int other = NODES - 1 - last;
    final int seen = seen(other, cuts[last]);
    cuts[other] = random.nextBoolean() ? seen : seen + random.nextInt(cuts[last] - seen + 1);
    return cuts;
  }

  private int seen(final int node, final int before) {
    for (int i = before - 1; i >= first; i--) {
      if (disk.log().makerAt(i) == node
          && disk.names(disk.log().at(i)).stream().anyMatch(this::isShared)) {
        return i + 1;
      }
    }
    return first;
  }

  private boolean isShared(final Path path) {
    final Path series = directory.root().resolve(SERIES);
    return path.startsWith(series)
        && !path.startsWith(series.resolve("data"))
        && !path.getFileName().toString().startsWith(".draft-");
  }
}
