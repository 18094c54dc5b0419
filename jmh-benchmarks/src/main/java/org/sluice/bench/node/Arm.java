package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.sluice.profile.workload.WritePattern;

/** One target with ranks, files and, for Sluice, an I/O process of its own. */
final class Arm implements AutoCloseable {
  private static final int DIRECT_BLOCK = 1 << 20;
  private static final long CHUNK = 1 << 20;
  private static final int SPARE_CHUNKS_PER_RANK = 2;

  private final Target target;
  private final Path home;
  private final Optional<IoProcess> service;
  private final NodeProgram node;
  private long round;

  private Arm(
      final Target target,
      final Path home,
      final Optional<IoProcess> service,
      final NodeProgram node) {
    this.target = target;
    this.home = home;
    this.service = service;
    this.node = node;
  }

  /**
   * Starts it with a buffer that holds a checkpoint.
   *
   * @param home an empty directory for its files
   * @param runtime where an I/O process's segment is made
   */
  static Arm start(
      final Target target,
      final WritePattern pattern,
      final int ranks,
      final Path home,
      final Path runtime)
      throws IOException {
    final long chunks = Math.ceilDiv(pattern.imageLength(), CHUNK) + SPARE_CHUNKS_PER_RANK;
    final List<String> options = List.of("--buffer=" + chunks * ranks * CHUNK);
    return start(target, pattern, ranks, options, home, runtime);
  }

  /**
   * Starts it.
   *
   * @param pattern what each rank writes
   * @param options of the I/O process, if it has one
   * @param home an empty directory for its files
   * @param runtime where an I/O process's segment is made
   */
  static Arm start(
      final Target target,
      final WritePattern pattern,
      final int ranks,
      final List<String> options,
      final Path home,
      final Path runtime)
      throws IOException {
    Files.createDirectories(home);
    final Path file = home.resolve("pattern");
    final Optional<IoProcess> service;
    if (target.isSluice()) {
      service = Optional.of(IoProcess.start(target, home, runtime, ranks, options));
    } else {
      service = Optional.empty();
    }
    if (target == Target.ODIRECT_FLOOR) {
      WritePattern.blocks(pattern.imageLength() * ranks, DIRECT_BLOCK).save(file);
      return new Arm(target, home, service, NodeProgram.start(target.output(), 1, file, service));
    }
    pattern.save(file);
    return new Arm(target, home, service, NodeProgram.start(target.output(), ranks, file, service));
  }

  Target target() {
    return target;
  }

  Optional<IoProcess> service() {
    return service;
  }

  /**
   * Deletes the checkpoint before, unless it is to be written over or its I/O process sees to that,
   * and leaves an idle disk. Done before the gap rather than after the checkpoint, so that the
   * memory of fresh files was free for no longer than the gap: an idle guest soon gives free memory
   * back to its host.
   */
  void prepare() throws IOException {
    if (!target.isInPlace() && !target.isContainer()) {
      Directories.delete(files());
    }
    round++;
    Files.createDirectories(files());
    Directories.run(List.of("sync", "--file-system", home.toString()));
  }

  /** Lets the ranks write a checkpoint. */
  Sample checkpoint(final Until until) throws IOException {
    return node.checkpoint(round, until, files());
  }

  /** Where the checkpoint's images are, as the ranks see it. */
  Path files() {
    final Path parent = service.map(IoProcess::capture).orElse(home);
    return parent.resolve("round-" + (target.isInPlace() ? 0 : round));
  }

  /** Ends its processes. Its files stay. */
  @Override
  public void close() {
    node.close();
    service.ifPresent(IoProcess::close);
  }
}
