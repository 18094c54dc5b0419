package org.sluice.core.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.IoVector;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;

@Isolated("A fault that is asked for strikes whatever test comes by.")
class FaultTest {
  @TempDir private Path root;

  @AfterEach
  void disarm() {
    Fault.arm(List.of());
  }

  @ParameterizedTest
  @CsvSource({
    "frobnicate,no fault point frobnicate",
    "log-fsync:EFROB,no error EFROB",
    "log-fsync:torn,cannot happen there",
    "after-log-fsync:EIO,cannot happen there",
    "reply:EIO,cannot happen there",
    "log-fsync@0,counted from 1",
    "log-fsync@3-2,counted from 1",
    "index fsync,it reads",
    "log-write:,it reads"
  })
  void whatMakesNoSenseIsRefused(final String text, final String reason) {
    assertThatThrownBy(() -> Fault.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("SLUICE_FAULT=" + text + ": ")
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource({"EIO,100000", "EIO@1,100000", "EIO@2,010000", "EIO@2-4,011100", "EIO@3-,001111"})
  void strikesAtTheTimesAskedFor(final String what, final String expected) {
    Fault.arm(Fault.parse("log-fsync:" + what));
    final StringBuilder struck = new StringBuilder();
    for (int i = 0; i < expected.length(); i++) {
      assertThat(Fault.at(FaultPoint.LOG_WRITE)).isNull();
      struck.append(Fault.at(FaultPoint.LOG_FSYNC) == null ? '0' : '1');
    }
    assertThat(struck).hasToString(expected);
  }

  @Test
  void severalFaultsAreCountedEachOnItsOwn() {
    Fault.arm(Fault.parse("log-fsync:EIO@2,log-write:ENOSPC"));
    assertThat(Fault.at(FaultPoint.LOG_FSYNC)).isNull();
    assertThat(Fault.at(FaultPoint.LOG_WRITE)).isNotNull();
    assertThat(Fault.at(FaultPoint.LOG_FSYNC)).isNotNull();
    assertThatThrownBy(() -> Fault.parse("log-fsync:EIO,"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aStepThatIsToFailIsNotDone() {
    Fault.arm(Fault.parse("manifest-remove:EROFS"));
    assertThatThrownBy(
            () ->
                Fault.at(
                    FaultPoint.MANIFEST_REMOVE,
                    "rename x",
                    () -> {
                      throw new AssertionError("done");
                    }))
        .isInstanceOf(PosixException.class)
        .hasMessageContaining("cannot rename x: ")
        .hasMessageContaining("EROFS");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4096, 8192, 10_000, 65_536})
  void shortWritesAreContinued(final int length) throws Exception {
    final byte[] bytes = bytes(length);
    Fault.arm(Fault.parse("log-write:short@1-"));
    try (Arena arena = Arena.ofConfined();
        NativeFile file = open()) {
      file.pwrite(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes).address(), length, 0);
    }
    assertThat(Files.readAllBytes(root.resolve("file"))).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 1000, 12_288})
  void shortWritesOfPiecesAreContinued(final int length) throws Exception {
    final byte[] bytes = bytes(5 * length);
    Fault.arm(Fault.parse("log-write:short@1-"));
    try (Arena arena = Arena.ofConfined();
        NativeFile file = open()) {
      final MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      final IoVector pieces = new IoVector(3);
      pieces.add(memory.address(), length);
      pieces.add(memory.address() + length, 3L * length);
      pieces.add(memory.address() + 4L * length, length);
      file.pwrite(pieces, 0);
    }
    assertThat(Files.readAllBytes(root.resolve("file"))).isEqualTo(bytes);
  }

  @Test
  void aSyncThatFailedOnceFailsForEver() throws Exception {
    Fault.arm(Fault.parse("log-fsync:EIO"));
    try (NativeFile file = open().role(null, FaultPoint.LOG_FSYNC)) {
      assertThatThrownBy(file::sync).hasMessageContaining("EIO");
      assertThatThrownBy(file::sync).hasMessageContaining("EIO");
      assertThatThrownBy(file::syncAll).hasMessageContaining("EIO");
      assertThat(file.isLost()).isTrue();
      file.renew();
      file.sync();
    }
  }

  @Test
  void everyErrorThatAnybodyMeetsHasAName() {
    assertThat(Errno.named("ENOSPC")).isEqualTo(Errno.ENOSPC);
    assertThat(Errno.named("EDQUOT")).isEqualTo(Errno.EDQUOT);
    assertThat(Errno.named("EFROB")).isZero();
  }

  private NativeFile open() throws PosixException {
    return NativeFile.open(root.resolve("file"), Flag.WRITE, Flag.CREATE)
        .role(FaultPoint.LOG_WRITE, null);
  }

  private static byte[] bytes(final int length) {
    final byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}
