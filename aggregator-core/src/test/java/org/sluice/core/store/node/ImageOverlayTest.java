package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.chunk.ChunkReader;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommitSource;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.ImageAttributes;
import org.sluice.core.store.model.JobCoverage;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.OutOfOrderException;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.model.Rebuilder;

/** Random writes, direct writes and truncations of one image against a plain byte array. */
class ImageOverlayTest {
  private static final int MAX_SIZE = 1500;
  private static final int IMAGE = 3;
  private static final int OTHER_IMAGE = 4;

  private Path directory;

  @BeforeProperty
  void createDirectory() throws IOException {
    directory = Files.createTempDirectory("overlay");
  }

  @AfterProperty
  void deleteDirectory() throws IOException {
    try (var files = Files.walk(directory)) {
      for (final Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }

  @Property(tries = 500)
  void settlesIntoTheImagesOwnFile(
      @ForAll final long seed, @ForAll @IntRange(max = 120) final int steps) throws IOException {
    try (Run run = new Run(seed, directory)) {
      run.steps(steps);
      final ImageOverlay overlay = new ImageOverlay(IMAGE, run.model.length, run.file::pwrite);
      for (final ChunkBuilder chunk : run.chunks.reversed()) {
        overlay.addOlder(
            new ChunkReader().wrap(chunk.buffer(), chunk.used(), StoreFixture.SESSION));
      }
      run.file.truncate(run.model.length);
      assertThat(Files.readAllBytes(Path.of(run.file.opened()))).isEqualTo(run.model);
    }
  }

  @Property(tries = 200)
  void comesBackFromAStore(@ForAll final long seed, @ForAll @IntRange(max = 120) final int steps)
      throws IOException {
    final Path store = directory.resolve("store");
    try (Run run = new Run(seed, directory);
        StoreFixture fixture = new StoreFixture(store, directory)) {
      run.steps(steps);
      final Commit commit = commit(fixture, run);
      final Path restored = Files.createTempFile(directory, "restored", "");
      try (NativeFile target = NativeFile.open(restored, Flag.WRITE)) {
        fixture.store().rebuild(commit, fixture.store().images(commit).getFirst(), target);
      }
      assertThat(Files.readAllBytes(restored)).isEqualTo(run.model);
    }
  }

  @Property(tries = 200)
  void comesInOrderOrNotAtAll(@ForAll final long seed, @ForAll @IntRange(max = 8) final int steps)
      throws IOException {
    final Path store = directory.resolve("store");
    try (Run run = new Run(seed, directory);
        StoreFixture fixture = new StoreFixture(store, directory)) {
      run.forward(steps);
      final Commit commit = commit(fixture, run);
      assertThat(inOrder(fixture, commit, run.model)).isEqualTo(run.model);
    }
  }

  private static Commit commit(final StoreFixture fixture, final Run run) throws IOException {
    final List<ChunkLocation> chunks = new ArrayList<>();
    for (final ChunkBuilder chunk : run.chunks) {
      chunks.add(fixture.append(chunk));
    }
    final DraftImage image =
        new DraftImage(
            new ImageAttributes("image", 0, 1, 0600, run.model.length, IMAGE),
            chunks,
            FileSource.of(run.file),
            false,
            null);
    return fixture.commit(
        new Draft(
            1,
            "",
            new CommitSource("node1", "job", Origin.UNKNOWN, StoreFixture.SESSION),
            new JobCoverage(1, RankSet.NONE),
            Layout.CONTAINER,
            Completion.COUNT,
            List.of(image)));
  }

  /** Returns the bytes that come in the order of their offsets; `refused` where they do not. */
  private static byte[] inOrder(
      final StoreFixture fixture, final Commit commit, final byte[] refused) throws IOException {
    final byte[] bytes = new byte[refused.length];
    try (Rebuilder rebuilder = fixture.store().rebuilder(commit, false)) {
      rebuilder.readInOrder(
          fixture.store().images(commit).getFirst(),
          (address, length, offset) ->
              new UnsafeBuffer(address, (int) length)
                  .getBytes(0, bytes, (int) offset, (int) length));
      return bytes;
    } catch (final OutOfOrderException e) {
      return refused;
    }
  }

  /** An image being written. */
  private static final class Run implements AutoCloseable {
    private final Random random;
    private final NativeFile file;
    private final List<ChunkBuilder> chunks = new ArrayList<>();
    private byte[] model = new byte[0];

    Run(final long seed, final Path directory) throws IOException {
      random = new Random(seed);
      file = NativeFile.open(Files.createTempFile(directory, "own", ""), Flag.WRITE);
      chunks.add(newChunk());
    }

    void steps(final int count) throws IOException {
      for (int i = 0; i < count; i++) {
        final int offset = random.nextInt(MAX_SIZE - 200);
        final byte[] payload = new byte[random.nextInt(200)];
        random.nextBytes(payload);
        if (!chunks.getLast().fits(payload.length)) {
          chunks.add(newChunk());
        }
        switch (random.nextInt(10)) {
          case 0, 1, 2 -> direct(offset, payload);
          case 3 -> truncate(offset);
          case 4 -> chunks.getLast().write(OTHER_IMAGE, offset, payload);
          default -> write(offset, payload);
        }
      }
    }

    /** Writes behind all before, but for a few bytes that the file gets anywhere. */
    void forward(final int count) throws IOException {
      for (int i = 0; i < count; i++) {
        final byte[] payload = new byte[random.nextInt(200)];
        random.nextBytes(payload);
        if (random.nextInt(4) == 0) {
          direct(random.nextInt(model.length + 100), payload);
        } else {
          write(model.length, payload);
        }
      }
    }

    private static ChunkBuilder newChunk() {
      return new ChunkBuilder(4096, StoreFixture.SESSION);
    }

    private void write(final int offset, final byte[] payload) {
      chunks.getLast().write(IMAGE, offset, payload);
      apply(offset, payload);
    }

    private void direct(final int offset, final byte[] payload) throws IOException {
      try (Arena arena = Arena.ofConfined()) {
        final MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, payload);
        file.pwrite(memory.address(), payload.length, offset);
      }
      chunks.getLast().direct(IMAGE, offset, payload.length);
      apply(offset, payload);
    }

    private void truncate(final int size) throws IOException {
      file.truncate(size);
      chunks.getLast().truncate(IMAGE, size);
      model = Arrays.copyOf(model, size);
    }

    private void apply(final int offset, final byte[] payload) {
      if (payload.length > 0) {
        model = Arrays.copyOf(model, Math.max(model.length, offset + payload.length));
        System.arraycopy(payload, 0, model, offset, payload.length);
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
