package org.sluice.core.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile.Flag;

class NativeFileTest {
  @TempDir private Path directory;

  @Test
  void readsBackWhatItWrote() throws IOException {
    try (Arena arena = Arena.ofConfined();
        NativeFile file = create("file")) {
      final MemorySegment bytes = arena.allocateFrom("0123456789");
      file.pwrite(bytes.address(), 10, 5);
      final MemorySegment read = arena.allocate(20);
      assertThat(file.pread(read.address(), 20, 5)).isEqualTo(10);
      assertThat(read.getString(0)).isEqualTo("0123456789");
      assertThat(file.size()).isEqualTo(15);
    }
  }

  @Test
  void tellsIdentityModeAndLinksLikeTheStandardLibrary() throws IOException {
    try (NativeFile file = create("file")) {
      final Path path = directory.resolve("file");
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-x--x"));
      file.linkTo(directory.resolve("other"));
      assertThat(file.inode()).isEqualTo(Files.getAttribute(path, "unix:ino"));
      assertThat(file.mode()).isEqualTo(0751);
      assertThat(file.links()).isEqualTo(2);
      final long dev = (long) Files.getAttribute(path, "unix:dev");
      final long major = dev >>> 8 & 0xfff | dev >>> 32 & 0xfffff000L;
      final long minor = dev & 0xff | dev >>> 12 & 0xffffff00L;
      assertThat(file.device()).isEqualTo(major << 32 | minor);
    }
  }

  @Test
  void tellsTheRoomOfItsFileSystemLikeTheStandardLibrary() throws IOException {
    try (NativeFile file = create("file")) {
      assertThat(file.room().block()).isPositive();
      assertThat(file.room().free())
          .isCloseTo(directory.toFile().getUsableSpace(), withinPercentage(10));
    }
  }

  @Test
  void followsRenamesAndNoticesDeletion() throws IOException {
    try (NativeFile file = create("file")) {
      final Path renamed = directory.toRealPath().resolve("renamed (deleted)");
      Files.move(directory.resolve("file"), renamed);
      assertThat(file.path()).contains(renamed.toString());
      Files.delete(renamed);
      assertThat(file.path()).isEmpty();
    }
  }

  @Test
  void tellsDataFromHoles() throws IOException {
    try (Arena arena = Arena.ofConfined();
        NativeFile file = create("file")) {
      assertThat(file.dataExtents()).isEmpty();
      final MemorySegment block = arena.allocate(4096);
      block.fill((byte) 1);
      file.pwrite(block.address(), 4096, 1 << 20);
      file.truncate(4 << 20);
      assertThat(file.dataExtents()).containsExactly(new Extent(1 << 20, 4096));
    }
  }

  @Test
  void namesFileAndErrorWhenACallFails() throws IOException {
    final Path missing = directory.resolve("missing");
    assertThatThrownBy(() -> NativeFile.open(missing))
        .isInstanceOfSatisfying(
            PosixException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
        .hasMessage("cannot open " + missing + ": No such file or directory (ENOENT)");
    try (Arena arena = Arena.ofConfined();
        NativeFile full = NativeFile.open(Path.of("/dev/full"), Flag.WRITE)) {
      final long address = arena.allocate(ValueLayout.JAVA_LONG).address();
      assertThatThrownBy(() -> full.pwrite(address, 8, 0))
          .hasMessage("cannot write /dev/full: No space left on device (ENOSPC); make room there");
    }
    assertThat(new PosixException("truncate x", Errno.EFBIG))
        .hasMessage(
            "cannot truncate x: File too large (EFBIG); raise the limit of the size of files (ulimit -f)");
  }

  @Test
  void locksAgainstEveryOtherDescriptor() throws IOException {
    try (NativeFile holder = create("file");
        NativeFile other = NativeFile.open(directory.resolve("file"))) {
      assertThat(holder.tryLock()).isTrue();
      assertThat(other.tryLock()).isFalse();
    }
    try (NativeFile next = NativeFile.open(directory.resolve("file"))) {
      assertThat(next.tryLock()).isTrue();
    }
  }

  /** Else the first write opens the file once more, for which programs may be asked by then. */
  @Test
  void aFileOfWhichWritesAreExpectedIsOpenForWriting() throws IOException {
    create("file").close();
    try (NativeFile file = NativeFile.openQuietly(directory.resolve("file").toString())) {
      file.expectWrites();
      final String flags = Files.readString(Path.of(file.procPath().replace("/fd/", "/fdinfo/")));
      assertThat(flags).containsPattern("flags:\\s+[0-7]*2\n");
    }
  }

  private NativeFile create(final String name) throws PosixException {
    return NativeFile.open(directory.resolve(name), Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE);
  }
}
