package org.sluice.core.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile.Flag;

class IoVectorTest {
  private final Arena arena = Arena.ofConfined();
  private final IoVector pieces = new IoVector(3);

  @TempDir private Path directory;

  @AfterEach
  void free() {
    arena.close();
  }

  @Test
  void areWrittenOneBehindTheOther() throws Exception {
    add("one");
    add("two");
    add("three");
    assertThat(write(2)).isEqualTo("\0\0onetwothree");
    assertThat(pieces.length()).isZero();
    add("again");
    assertThat(write(0)).isEqualTo("againtwothree");
  }

  @Test
  void goOnWhereAWriteEnded() throws Exception {
    add("one");
    add("two");
    add("three");
    pieces.written(1);
    assertThat(pieces.length()).isEqualTo(10);
    pieces.written(2 + 3 + 2);
    assertThat(pieces.count()).isEqualTo(1);
    assertThat(write(0)).isEqualTo("ree");
  }

  /** A tmpfs has nothing but the page cache, so the kernel says no there. */
  @ParameterizedTest
  @ValueSource(strings = {".", "/dev/shm"})
  void areWrittenPastThePageCacheWhereThatCanBe(final Path parent) throws Exception {
    final Path path = Files.createTempFile(directory.resolve(parent), "sluice-pieces", "");
    try (NativeFile file = NativeFile.open(path, Flag.WRITE)) {
      add("one");
      add("two");
      file.pwritePast(pieces, 0);
      add("three");
      file.pwritePast(pieces, 6);
      file.sync();
      assertThat(Files.readString(path)).isEqualTo("onetwothree");
    } finally {
      Files.delete(path);
    }
  }

  @Test
  void areForgottenWhenTheyCannotBeWritten() throws Exception {
    add("one");
    final Path file = Files.createTempFile(directory, "read", "");
    try (NativeFile readOnly = NativeFile.open(file)) {
      assertThatThrownBy(() -> readOnly.pwrite(pieces, 0)).isInstanceOf(PosixException.class);
    }
    assertThat(pieces.count()).isZero();
  }

  @Test
  void areNoMoreThanThereIsRoomFor() {
    add("1");
    add("2");
    add("3");
    assertThatThrownBy(() -> add("4")).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(pieces.count()).isEqualTo(3);
  }

  private void add(final String text) {
    final MemorySegment memory = arena.allocateFrom(text);
    assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) text.charAt(0));
    pieces.add(memory.address(), text.length());
  }

  private String write(final long offset) throws Exception {
    final Path path = directory.resolve("file");
    try (NativeFile file = NativeFile.open(path, Flag.WRITE, Flag.CREATE)) {
      file.pwrite(pieces, offset);
    }
    return Files.readString(path);
  }
}
