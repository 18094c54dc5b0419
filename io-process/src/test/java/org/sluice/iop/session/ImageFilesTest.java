package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.ImageKey;
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
    return files(capture()::names).find(image, List.of(openers));
  }

  private CaptureDirectory capture() {
    return new CaptureDirectory(directory.toString(), directory.resolve("store").toString());
  }

  private ImageFiles files(final ImageFiles.Walk walk) {
    return new ImageFiles(walk, any -> directory.resolve("held"));
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

  /** Behind each of nine walks, or during it, so that the walk saw the file nowhere. */
  @Test
  void aFileThatIsRenamedAgainAndAgainIsFound() throws IOException {
    final int[] walks = {0};
    final ImageFiles.Walk renamed =
        () -> {
          final Map<ImageKey, List<String>> names = capture().names();
          walks[0]++;
          if (walks[0] < 10) {
            rename("name-" + walks[0]);
          }
          return walks[0] % 4 == 1 ? Map.of() : names;
        };
    rename("name-0");
    try (NativeFile file = files(renamed).find(image, List.of()).orElseThrow()) {
      assertThat(file.inode()).isEqualTo(image.inode());
    }
    assertThat(walks[0]).isEqualTo(10);
  }

  private void rename(final String name) {
    try {
      path = Files.move(path, path.resolveSibling(name));
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
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
