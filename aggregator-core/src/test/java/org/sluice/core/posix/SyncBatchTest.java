package org.sluice.core.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile.Flag;

class SyncBatchTest {
  @TempDir private Path directory;

  private final List<NativeFile> files = new ArrayList<>();

  private NativeFile create(final String name) throws IOException {
    final NativeFile file = NativeFile.open(directory.resolve(name), Flag.WRITE, Flag.CREATE);
    files.add(file);
    return file;
  }

  @Test
  void moreFilesThanGoAtOnceAreAllSynchronised() throws IOException {
    for (int i = 0; i < 150; i++) {
      create("file-" + i);
    }
    SyncBatch.sync(files);
    assertThat(files).allMatch(file -> !file.syncLock.isLocked() && !file.isLost());
    for (final NativeFile file : files) {
      file.close();
    }
  }

  @Test
  void aFailureIsThatOfItsFileAloneAndStays() throws IOException {
    try (NativeFile good = create("good");
        NativeFile pipe = NativeFile.open("/dev/null", Flag.WRITE);
        NativeFile other = create("other")) {
      assertThatThrownBy(() -> SyncBatch.sync(List.of(good, pipe, other)))
          .isInstanceOfSatisfying(
              PosixException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
          .hasMessageContaining("/dev/null");
      assertThat(List.of(good, pipe, other))
          .extracting(NativeFile::isLost)
          .containsExactly(false, true, false);
      assertThatThrownBy(() -> SyncBatch.sync(List.of(pipe, good)))
          .hasMessageContaining("/dev/null");
    }
  }

  @Test
  void aFileThatATestWatchesIsSynchronisedByItself() throws IOException {
    final class Watched extends NativeFile {
      private int syncs;

      Watched(final Path path) throws PosixException {
        super(path.toString(), Flag.WRITE, Flag.CREATE);
      }

      @Override
      public void sync() throws PosixException {
        syncs++;
        super.sync();
      }
    }

    try (NativeFile good = create("good");
        Watched watched = new Watched(directory.resolve("watched"))) {
      SyncBatch.sync(List.of(good, watched));
      assertThat(watched.syncs).isEqualTo(1);
    }
  }

  /** The entries of a directory are nothing that {@code fdatasync} promises. */
  @Test
  void aDirectoryIsSynchronisedWithItsEntries() throws IOException {
    final class Watched extends NativeFile {
      private final List<String> syncs = new ArrayList<>();

      Watched() throws PosixException {
        super(directory.toString(), Flag.DIRECTORY);
      }

      @Override
      public void sync() throws PosixException {
        syncs.add("data");
        super.sync();
      }

      @Override
      public void syncAll() throws PosixException {
        syncs.add("all");
        super.syncAll();
      }
    }

    try (NativeFile file = create("file");
        NativeFile plain = NativeFile.open(directory, Flag.DIRECTORY);
        Watched watched = new Watched()) {
      SyncBatch.sync(List.of(file, plain, watched));
      assertThat(watched.syncs).containsExactly("all");
      assertThat(plain.isLost()).isFalse();
    }
  }
}
