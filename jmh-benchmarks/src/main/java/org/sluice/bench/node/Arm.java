package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.bridge.NativeLibraries;
import org.sluice.profile.replay.ReplayResult;
import org.sluice.profile.replay.ReplayRounds;
import org.sluice.profile.replay.ReplayRounds.Ending;
import org.sluice.profile.replay.ReplayRounds.Output;
import org.sluice.profile.replay.Scratch;
import org.sluice.profile.workload.GeneratedTrace;

/**
 * A storage system in a benchmark, with ranks, files and, for Sluice, an I/O process of its own.
 */
final class Arm implements AutoCloseable {
  private static final long DIRECT_BLOCK = 1 << 20;

  private final Storage storage;
  private final Path home;
  private final Optional<ArmService> service;
  private final ReplayRounds ranks;
  private long round;

  private Arm(
      final Storage storage,
      final Path home,
      final Optional<ArmService> service,
      final ReplayRounds ranks) {
    this.storage = storage;
    this.home = home;
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
    final GeneratedTrace written = load.trace();
    final GeneratedTrace trace =
        storage.output() == Output.DIRECT
            ? GeneratedTrace.equal(1, written.bytes(), DIRECT_BLOCK, 0)
            : written;
    final Map<String, String> environment = new HashMap<>();
    Optional<ArmService> service = Optional.empty();
    if (storage.isSluice()) {
      final List<String> options = List.of("--buffer=" + load.room(), "--when-full=" + whenFull);
      service = Optional.of(ArmService.start(storage, home, runtime, load.ranks(), options));
      environment.put("SLUICE_DIRECTORY", service.get().directory().toString());
      environment.put("SLUICE_CAPTURE", service.get().capture().toString());
      environment.put("LD_PRELOAD", NativeLibraries.preload().toString());
    }
    final ReplayRounds ranks =
        ReplayRounds.start(trace, home.resolve("trace"), storage.output(), environment);
    return new Arm(storage, home, service, ranks);
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
   * <p>First the checkpoint before is deleted, unless it is to be written over or its I/O process
   * sees to that. Then the disk comes to rest. This happens before the gap rather than after the
   * checkpoint. So the memory of fresh files was free for no longer than the gap: an idle guest
   * soon gives free memory back to its host.
   */
  ReplayResult checkpoint(final Ending ending, final int gapMillis)
      throws IOException, InterruptedException {
    if (!storage.overwrites() && !storage.isContainer()) {
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
        new ProcessBuilder("sync", "--file-system", home.toString()).inheritIO().start();
    if (sync.waitFor() != 0) {
      throw new IOException("sync --file-system %s: status %d".formatted(home, sync.exitValue()));
    }
  }

  /** Returns the directory of the checkpoint's images, as the ranks see it. */
  private Path files() {
    final Path parent = service.map(ArmService::capture).orElse(home);
    return parent.resolve("round-" + (storage.overwrites() ? 0 : round));
  }

  /** Ends its processes. Its files stay. */
  @Override
  public void close() {
    ranks.close();
    service.ifPresent(ArmService::close);
  }
}
