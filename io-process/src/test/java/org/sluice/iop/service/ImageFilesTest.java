package org.sluice.iop.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.journal.Entry;

/** Files that programs renamed, replaced or deleted while there was no I/O process. */
class ImageFilesTest {
  @TempDir private Path directory;
  private Path path;
  private Entry.Admitted image;

  @BeforeEach
  void write() throws IOException {
    path = Files.writeString(directory.resolve("image"), "its bytes");
    image = admitted(0);
  }

  private Entry.Admitted admitted(final long younger) throws IOException {
    try (NativeFile file = NativeFile.open(path)) {
      return new Entry.Admitted(
          1,
          0,
          file.device(),
          file.inode(),
          file.born() - younger,
          ImageDescriptor.STATE_DIVERTED,
          path.toString());
    }
  }

  private Optional<NativeFile> find(final ProcessIdentity... openers) throws IOException {
    final CaptureDirectory capture =
        new CaptureDirectory(directory.toString(), directory.resolve("store").toString());
    return new ImageFiles(capture, any -> directory.resolve("held")).find(image, List.of(openers));
  }

  private void assertFound(final ProcessIdentity... openers) throws IOException {
    try (NativeFile file = find(openers).orElseThrow()) {
      assertThat(file.inode()).isEqualTo(image.inode());
    }
  }

  @Test
  void aFileIsFoundByTheNameItHadOrByTheNameItHas() throws IOException {
    assertFound();
    Files.move(path, Files.createDirectory(directory.resolve("below")).resolve("renamed"));
    assertFound();
  }

  @Test
  void aFileThatIsRenamedAgainAndAgainIsFound() throws Exception {
    final Path one = Files.createDirectory(directory.resolve("one"));
    final Path other = Files.createDirectory(directory.resolve("other"));
    final Thread program = new Thread(() -> renameAgainAndAgain(one, other));
    program.start();
    try {
      for (int i = 0; i < 300; i++) {
        assertFound();
      }
    } finally {
      program.interrupt();
      program.join();
    }
  }

  private void renameAgainAndAgain(final Path one, final Path other) {
    try {
      for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
        final Path next = (i % 2 == 0 ? one : other).resolve("name-" + i);
        Files.move(path, next, StandardCopyOption.ATOMIC_MOVE);
        path = next;
        LockSupport.parkNanos(1_000_000);
      }
    } catch (final IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aDeletedFileIsFoundByTheDescriptorOfWhoHasItOpen() throws Exception {
    final Process program = new ProcessBuilder("sleep", "60").redirectInput(path.toFile()).start();
    try {
      Files.delete(path);
      assertFound(ProcessIdentity.of((int) program.pid()).orElseThrow());
    } finally {
      program.destroyForcibly().waitFor();
    }
  }

  @Test
  void aFileThatIsGoneIsNotMissedThoughItsOpenerLives() throws IOException {
    Files.delete(path);
    assertThat(find(ProcessIdentity.current())).isEmpty();
  }

  @Test
  void anotherFileInItsPlaceIsNotIt() throws IOException {
    Files.move(
        Files.writeString(directory.resolve("other"), "other bytes"),
        path,
        StandardCopyOption.REPLACE_EXISTING);
    assertThat(find()).isEmpty();
  }

  @Test
  void aYoungerFileWithItsInodeNumberIsNotIt() throws IOException {
    image = admitted(1);
    assertThat(find()).isEmpty();
  }

  @Test
  void aFileThatIsThereButCannotBeOpenedIsMissed() throws Exception {
    final ProcessBuilder running = new ProcessBuilder("sleep", "60");
    final Path program = directory.resolve("image");
    Files.copy(Path.of("/bin/sleep"), program, StandardCopyOption.REPLACE_EXISTING);
    program.toFile().setExecutable(true);
    image = admitted(0);
    final Process process = running.command(program.toString(), "60").start();
    try {
      assertThatThrownBy(this::find).hasMessageContaining(program.toString());
    } finally {
      process.destroyForcibly().waitFor();
    }
  }
}
