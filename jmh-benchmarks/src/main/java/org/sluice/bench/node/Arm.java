package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.bridge.NativeLibraries;
import org.sluice.profile.replay.ReplayResult;
import org.sluice.profile.replay.ReplayRounds;
import org.sluice.profile.replay.ReplayRounds.Ending;
import org.sluice.profile.replay.ReplayRounds.Launch;
import org.sluice.profile.replay.ReplayRounds.Output;
import org.sluice.profile.replay.Scratch;
import org.sluice.profile.workload.GeneratedTrace;

/**
 * A storage system in a benchmark, with ranks, files and, for Sluice, an I/O process of its own.
 */
final class Arm implements AutoCloseable {
  /** The files of a checkpoint, below the capture directory. */
  static final String GROUP = "round-(\\d+)/";

  private static final long DIRECT_BLOCK = 1 << 20;

  private final Storage storage;
  private final Path parent;
  private final boolean keeps;
  private final Optional<ArmService> service;
  private final ReplayRounds ranks;
  private long round;

  private Arm(
      final Storage storage,
      final Path parent,
      final boolean keeps,
      final Optional<ArmService> service,
      final ReplayRounds ranks) {
    this.storage = storage;
    this.parent = parent;
    this.keeps = keeps;
    this.service = service;
    this.ranks = ranks;
  }

  /**
   * @param whenFull action of a write that finds no room
   */
  static Arm start(
      final Storage storage,
      final Load load,
      final String whenFull,
      final Path home,
      final Path runtime)
      throws IOException {
    Files.createDirectories(home);
    final Map<String, String> environment = new HashMap<>();
    Optional<ArmService> service = Optional.empty();
    if (storage.isSluice()) {
      final List<String> options = List.of("--buffer=" + load.room(), "--when-full=" + whenFull);
      service = Optional.of(ArmService.start(storage, home, runtime, load.ranks(), options));
      environment.put("SLUICE_DIRECTORY", service.get().directory().toString());
      environment.put("SLUICE_CAPTURE", service.get().capture().toString());
      environment.put("LD_PRELOAD", NativeLibraries.preload().toString());
    }
    return new Arm(
        storage,
        service.map(ArmService::capture).orElse(home),
        storage.overwrites() || storage.isContainer(),
        service,
        ranks(storage, load, home, new Launch(List.of(), load.programs().options(), environment)));
  }

  /**
   * Starts an arm whose ranks are new programs, with Sluice under {@code sluice run}. All its
   * checkpoints stay.
   *
   * @param load writes of its ranks
   * @param whenFull action of a write that finds no room
   * @param home a new directory for its files
   * @param runtime directory for an I/O process's segment
   */
  static Arm fresh(
      final Storage storage,
      final Load load,
      final String whenFull,
      final Path home,
      final Path runtime)
      throws IOException {
    final Path parent = Files.createDirectories(ArmService.capture(home));
    final List<String> wrapper = new ArrayList<>();
    if (storage.isSluice()) {
      wrapper.addAll(List.of(NativeLibraries.sluice().toString(), "run"));
      wrapper.addAll(ArmService.options(storage, home));
      wrapper.addAll(
          List.of(
              "--buffer=" + load.room(),
              "--when-full=" + whenFull,
              "--group=" + GROUP,
              "--writers=" + load.ranks(),
              "--"));
    }
    final Map<String, String> environment = Map.of("SLUICE_RUNTIME", runtime.toString());
    final Launch launch = new Launch(wrapper, load.programs().options(), environment);
    return new Arm(storage, parent, true, Optional.empty(), ranks(storage, load, home, launch));
  }

  private static ReplayRounds ranks(
      final Storage storage, final Load load, final Path home, final Launch launch)
      throws IOException {
    final GeneratedTrace written = load.trace();
    final GeneratedTrace trace =
        storage.output() == Output.DIRECT
            ? GeneratedTrace.equal(1, written.bytes(), DIRECT_BLOCK, 0)
            : written;
    return ReplayRounds.start(trace, home.resolve("trace"), storage.output(), launch);
  }

  Storage storage() {
    return storage;
  }

  Optional<ArmService> service() {
    return service;
  }

  /**
   * Lets the ranks write a checkpoint.
   *
   * <p>First the checkpoint before is deleted, unless it stays, is to be written over, or its I/O
   * process sees to that. Then the disk comes to rest. This happens before the gap rather than
   * after the checkpoint. So the memory of fresh files was free for no longer than the gap: an idle
   * guest soon gives free memory back to its host.
   */
  ReplayResult checkpoint(final Ending ending, final int gapMillis)
      throws IOException, InterruptedException {
    if (!keeps) {
      Scratch.delete(files());
    }
    round++;
    Files.createDirectories(files());
    sync();
    Thread.sleep(gapMillis);
    return ranks.round(round, ending, files());
  }

  private void sync() throws IOException, InterruptedException {
    final Process sync =
        new ProcessBuilder("sync", "--file-system", parent.toString()).inheritIO().start();
    if (sync.waitFor() != 0) {
      throw new IOException("sync --file-system %s: status %d".formatted(parent, sync.exitValue()));
    }
  }

  /** Returns the directory of the checkpoint's images, as the ranks see it. */
  private Path files() {
    return parent.resolve("round-" + (storage.overwrites() ? 0 : round));
  }

  /** Ends its processes. Its files stay. */
  @Override
  public void close() {
    ranks.close();
    service.ifPresent(ArmService::close);
  }
}
