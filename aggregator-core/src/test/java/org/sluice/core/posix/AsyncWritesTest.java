package org.sluice.core.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile.Flag;

class AsyncWritesTest {
  private static final int BLOCK = 4096;

  @TempDir private Path directory;
  private final Arena arena = Arena.ofAuto();

  private NativeFile create(final String name) throws IOException {
    return NativeFile.open(directory.resolve(name), Flag.WRITE, Flag.CREATE);
  }

  /** Two blocks of one letter, the first and the last of four. */
  private IoVector blocksOf(final char letter) {
    final MemorySegment memory = arena.allocate(4 * BLOCK, BLOCK).fill((byte) letter);
    final IoVector pieces = new IoVector(2);
    pieces.add(memory.address(), BLOCK);
    pieces.add(memory.address() + 3 * BLOCK, BLOCK);
    return pieces;
  }

  private void writeLettersWith(final int most) throws IOException {
    final StringBuilder expected = new StringBuilder();
    try (AsyncWrites writes = new AsyncWrites(most);
        NativeFile file = create("letters-" + most)) {
      final List<AsyncWrites.Write> started = new ArrayList<>();
      for (char letter = 'a'; letter <= 'e'; letter++) {
        started.add(writes.start(file, blocksOf(letter), expected.length()));
        expected.append(String.valueOf(letter).repeat(2 * BLOCK));
      }
      for (final AsyncWrites.Write write : started.reversed()) {
        write.await();
        assertThat(write.hasEnded()).isTrue();
      }
    }
    assertThat(directory.resolve("letters-" + most)).hasContent(expected.toString());
  }

  @Test
  void allAreThereInWhicheverOrderTheyAreWaitedFor() throws IOException {
    writeLettersWith(8);
  }

  @Test
  void soAreThoseThatTheKernelTakesNoMore() throws IOException {
    writeLettersWith(2);
    writeLettersWith(0);
  }

  @Test
  void aFailureIsThatOfItsOwnWrite() throws IOException {
    try (AsyncWrites writes = new AsyncWrites(4);
        NativeFile full = NativeFile.open(Path.of("/dev/full"), Flag.WRITE);
        NativeFile file = create("file")) {
      final AsyncWrites.Write failing = writes.start(full, blocksOf('x'), 0);
      final AsyncWrites.Write other = writes.start(file, blocksOf('y'), 0);
      assertThatCode(other::await).doesNotThrowAnyException();
      assertThatThrownBy(failing::await)
          .isInstanceOfSatisfying(
              PosixException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOSPC))
          .hasMessageContaining("/dev/full");
      assertThat(Files.size(directory.resolve("file"))).isEqualTo(2 * BLOCK);
    }
  }

  /** What the kernel left out is written behind what it wrote, not once more. */
  @Test
  void aWriteThatWasCutShortIsCompleted() throws IOException {
    try (AsyncWrites writes = new AsyncWrites(1);
        NativeFile file = create("short").role(new Short(), null)) {
      writes.start(file, blocksOf('z'), 0).await();
    }
    assertThat(directory.resolve("short")).hasContent("z".repeat(2 * BLOCK));
  }

  /** The first block is written at first. */
  private static final class Short implements Hazard, Hazard.Mishap {
    @Override
    public Mishap now() {
      return this;
    }

    @Override
    public boolean isArmed() {
      return true;
    }

    @Override
    public void begin(final String what) {}

    @Override
    public long cut(final long length) {
      return BLOCK;
    }

    @Override
    public void end() {}
  }
}
