package org.sluice.iop.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;

/** Names that a program may give to another file while they are taken from an image. */
class CaptureDirectoryTest {
  @TempDir private Path directory;
  @TempDir private Path elsewhere;
  private Path name;
  private ImageKey image;
  private FileIdentity identity;

  @BeforeEach
  void capture() throws IOException {
    name = Files.writeString(directory.resolve("n".repeat(255)), "image");
    image = ImageKey.of(name.toString());
    identity = FileStatus.of(name.toString()).identity();
  }

  /** A process may ask for any. */
  @Test
  void onlyTheFileThatIsMeantIsOpenedAndOnlyInHere() throws IOException, NotCapturedException {
    final CaptureDirectory capture =
        new CaptureDirectory(directory.toString(), directory.resolve("store").toString());
    final Path stored = Files.createDirectory(directory.resolve("store")).resolve("stored");
    final Path other = Files.writeString(directory.resolve("other"), "another file");
    Files.writeString(stored, "in the store");
    capture.open(image, name.toString()).close();
    final Path outside = Files.writeString(elsewhere.resolve("file"), "outside");
    final Path missing = directory.resolve("missing");
    assertThat(refusal(capture, image, other)).isEqualTo(Reason.ELSEWHERE);
    assertThat(refusal(capture, ImageKey.of(stored.toString()), stored))
        .isEqualTo(Reason.ELSEWHERE);
    assertThat(refusal(capture, ImageKey.of(outside.toString()), outside))
        .isEqualTo(Reason.ELSEWHERE);
    assertThat(refusal(capture, image, missing)).isEqualTo(Reason.ELSEWHERE);
    assertThat(refusal(capture, image, directory)).isEqualTo(Reason.REFUSED);
  }

  private static Reason refusal(
      final CaptureDirectory capture, final ImageKey key, final Path path) {
    return catchThrowableOfType(
            NotCapturedException.class, () -> capture.open(key, path.toString()))
        .reason();
  }

  @Test
  void anImagesNameIsRemoved() throws IOException {
    ImageName.remove(identity, name.toString());
    assertThat(directory).isEmptyDirectory();
    ImageName.remove(identity, name.toString());
  }

  @Test
  void aNameThatIsAnotherFilesByNowStays() throws IOException {
    final Path other = Files.writeString(directory.resolve("other"), "another file");
    Files.move(name, directory.resolve("renamed"));
    Files.move(other, name);
    ImageName.remove(identity, name.toString());
    assertThat(name).hasContent("another file");
    assertThat(directory).isDirectoryNotContaining("glob:**/.sluice*");
  }

  @Test
  void aNameThatIsADirectorysByNowStays() throws IOException {
    Files.move(name, directory.resolve("renamed"));
    Files.writeString(Files.createDirectory(name).resolve("file"), "in it");
    ImageName.remove(identity, name.toString());
    assertThat(name.resolve("file")).hasContent("in it");
  }

  /** Checkpointers rename their files into place while others look through the directory. */
  @Test
  void namesThatComeAndGoMeanwhileDoNoHarm() throws Exception {
    final CaptureDirectory capture =
        new CaptureDirectory(directory.toString(), directory.resolve("store").toString());
    final Thread program = new Thread(this::renameForEver);
    program.start();
    try {
      for (int i = 0; i < 300; i++) {
        assertThat(capture.names()).containsKey(image);
      }
    } finally {
      program.interrupt();
      program.join();
    }
  }

  /** As git names its objects. Many of them must not cost as many searches. */
  @Test
  void filesThatGotTheirNamesByLinksAreSearchedForNowAndThen() throws IOException {
    final AtomicLong time = new AtomicLong();
    final CaptureDirectory capture =
        new CaptureDirectory(
            directory.toString(), directory.resolve("store").toString(), time::incrementAndGet);
    try (NativeFile firstFile = NativeFile.open(name, NativeFile.Flag.WRITE)) {
      final Image first = imageOf(firstFile);
      moveByLink(name, directory.resolve("first"));
      assertThat(capture.hasLost(first)).as("the first is searched for").isFalse();
      final Path temporary = Files.writeString(directory.resolve("temporary"), "another");
      try (NativeFile secondFile = NativeFile.open(temporary, NativeFile.Flag.WRITE)) {
        final Image second = imageOf(secondFile);
        moveByLink(temporary, elsewhere.resolve("second"));
        assertThat(capture.hasLost(second)).as("too early for another search").isFalse();
        time.addAndGet(1000);
        assertThat(capture.hasLost(second)).as("after another search").isTrue();
        assertThat(capture.hasLost(first)).as("found by that search, too").isFalse();
      }
      moveByLink(directory.resolve("first"), elsewhere.resolve("first"));
      assertThat(capture.hasLost(first)).as("no more where it was found").isTrue();
    }
  }

  @Test
  void whatASearchThatFailsDoesNotFindIsNotLost() throws IOException {
    final Path captured = Files.createDirectory(directory.resolve("captured"));
    final Path away = elsewhere.resolve("captured");
    final CaptureDirectory capture = new CaptureDirectory(captured.toString(), "/store");
    final Path first = Files.writeString(captured.resolve("first"), "open");
    try (NativeFile file = NativeFile.open(first, NativeFile.Flag.WRITE)) {
      final Image open = imageOf(file);
      moveByLink(first, captured.resolve("second"));
      Files.move(captured, away);
      assertThat(capture.hasLost(open)).as("it cannot be searched for").isFalse();
      assertThat(open.isUnnamed()).isTrue();
      Files.move(away, captured);
      assertThat(capture.find(open))
          .hasValueSatisfying(path -> assertThat(path).endsWith("second"));
      assertThat(open.isUnnamed()).isFalse();
    }
  }

  /** The checkpoint's link keeps the file, so the number of its links proves nothing. */
  @Test
  void aCommittedFileAtRestIsGoneOnceASearchDoesNotFindIt() throws IOException {
    final Path captured = Files.createDirectory(directory.resolve("captured"));
    final Path away = elsewhere.resolve("captured");
    final CaptureDirectory capture = new CaptureDirectory(captured.toString(), "/store");
    final Path named = captured.resolve("file");
    final Path stored = Files.createLink(elsewhere.resolve("stored"), name);
    Files.move(name, named);
    final Image resting = HeldFileTest.committedAtRest(stored, named);
    assertThat(capture.find(resting)).contains(named.toString());
    Files.delete(named);
    Files.move(captured, away);
    capture.search(List.of(resting));
    assertThat(capture.hasLost(resting)).as("it could not be searched for").isFalse();
    Files.move(away, captured);
    capture.search(List.of(resting));
    assertThat(capture.hasLost(resting)).as("it was searched for").isTrue();
    assertThat(capture.mustSearch(resting)).as("once is enough").isFalse();
    Files.createLink(named, stored);
    assertThat(capture.hasLost(resting)).as("it is there again").isFalse();
    Files.move(named, captured.resolve("renamed"));
    assertThat(capture.hasLost(resting)).as("not searched for again").isFalse();
  }

  private static Image imageOf(final NativeFile file) {
    final Image image =
        HeldFileTest.image(file.identity(), ImageDescriptor.STATE_DIVERTED, file.opened());
    final Descriptors descriptors = new Descriptors(null, Set.of());
    image.bind(HeldFile.open(image, file, descriptors), null, null, OutsideReaders.NONE);
    return image;
  }

  private static void moveByLink(final Path from, final Path to) throws IOException {
    Files.createLink(to, from);
    Files.delete(from);
  }

  private void renameForEver() {
    try {
      for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
        final Path other = Files.writeString(directory.resolve("other-" + i), "another file");
        Files.move(
            other,
            Files.createDirectories(directory.resolve("below")).resolve("other"),
            StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (final IOException e) {
      throw new AssertionError(e);
    }
  }
}
