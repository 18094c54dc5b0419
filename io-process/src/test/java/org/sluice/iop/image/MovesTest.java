package org.sluice.iop.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.ImageDescriptor;

/** Names that change without a word, and what it costs to find out. */
class MovesTest {
  @TempDir private Path top;
  private Path captured;
  private Path folder;
  private NativeFile file;
  private Image image;
  private Moves moves;
  private boolean isStored;
  private long now;

  @BeforeEach
  void lookOnce() throws IOException {
    captured = Files.createDirectory(top.toRealPath().resolve("captured"));
    folder = Files.createDirectories(captured.resolve("a/b"));
    final Path name = Files.writeString(folder.resolve("file"), "image");
    file = NativeFile.open(name, NativeFile.Flag.WRITE);
    image = HeldFileTest.image(file.identity(), ImageDescriptor.STATE_DIVERTED, file.opened());
    final Descriptors descriptors = new Descriptors(null, Set.of());
    image.bind(HeldFile.open(image, file, descriptors), null, null, OutsideReaders.NONE);
    final CaptureDirectory capture = new CaptureDirectory(captured.toString(), "/store");
    moves =
        new Moves(
            capture, image::equals, path -> path.contains("wanted"), any -> isStored, () -> now);
    let(folder).rest();
    moves.looked(image, Optional.of(name.toString()));
    assertThat(moves.look()).containsEntry(image, Optional.of(name.toString()));
  }

  @AfterEach
  void close() throws IOException {
    file.close();
  }

  /** A directory that nobody changes. */
  private record Resting(Path directory) {
    void rest() throws IOException {
      Files.setLastModifiedTime(directory, FileTime.from(Instant.now().minusSeconds(60)));
    }
  }

  private static Resting let(final Path directory) {
    return new Resting(directory);
  }

  private void isNowAt(final Path path) {
    assertThat(moves.look()).isEqualTo(Map.of(image, Optional.of(path.toString())));
  }

  /** A run has very many of them in the end, and each commit looks. */
  @Test
  void linksOfFilesThatACheckpointHasAreCountedNowAndThenOnly() throws IOException {
    isStored = true;
    let(folder).rest();
    moves.look();
    assertThat(moves.look()).isEmpty();
    final Path other = Files.createLink(captured.resolve("wanted"), folder.resolve("file"));
    assertThat(moves.look()).isEmpty();
    now += TimeUnit.SECONDS.toNanos(2);
    isNowAt(other);
  }

  /** Has a program outside rename a file that a checkpoint has, and returns its new name. */
  private Path renameBetweenLooks() throws IOException {
    isStored = true;
    moves.look();
    now += TimeUnit.MILLISECONDS.toNanos(500);
    final Path other = Files.move(folder.resolve("file"), folder.resolve("other"));
    assertThat(moves.look()).isEmpty();
    let(folder).rest();
    assertThat(moves.look()).isEmpty();
    return other;
  }

  @Test
  void aFileThatACheckpointHasIsLookedForAWhileAfterItsDirectoryChanged() throws IOException {
    final Path other = renameBetweenLooks();
    assertThat(moves.look()).isEmpty();
    now += TimeUnit.SECONDS.toNanos(2);
    isNowAt(other);
    assertThat(moves.look()).isEmpty();
  }

  @Test
  void aFileThatIsInNoCheckpointAnyMoreIsLookedForAsLateAsBefore() throws IOException {
    final Path other = renameBetweenLooks();
    isStored = false;
    isNowAt(other);
  }

  @Test
  void theEndLooksAtAllFilesThatCheckpointsHave() throws IOException {
    isStored = true;
    moves.look();
    final Path other = Files.move(folder.resolve("file"), folder.resolve("other"));
    assertThat(moves.look()).isEmpty();
    moves.lookAtStored();
    isNowAt(other);
  }

  @Test
  void aFileThatACheckpointHasAndThatAProcessRenamesIsLookedAtNext() throws IOException {
    isStored = true;
    moves.look();
    final Path other = Files.move(folder.resolve("file"), folder.resolve("other"));
    moves.told(image, other.toString());
    isNowAt(other);
    moves.looked(image, Optional.of(other.toString()));
    assertThat(moves.look()).isEmpty();
  }

  @Test
  void aDirectoryThatIsAsItWasHasTheNamesThatItHad() throws IOException {
    assertThat(moves.look()).isEmpty();
    Files.writeString(folder.resolve("another"), "");
    isNowAt(folder.resolve("file"));
    isNowAt(folder.resolve("file")); // it may change again within its time's unit
    let(folder).rest();
    moves.look();
    assertThat(moves.look()).isEmpty();
  }

  @Test
  void whatIsBelowARenamedDirectoryIsLookedAt() throws IOException {
    Files.move(captured.resolve("a"), captured.resolve("c"));
    isNowAt(captured.resolve("c/b/file"));
    Files.createDirectories(folder);
    Files.move(captured.resolve("c"), top.resolve("c"));
    assertThat(moves.look()).as("outside").isEqualTo(Map.of(image, Optional.empty()));
  }

  @Test
  void theNameThatIsWantedCounts() throws IOException {
    final Path wanted = captured.resolve("wanted");
    Files.createLink(wanted, folder.resolve("file"));
    Files.createLink(folder.resolve("more"), folder.resolve("file"));
    isNowAt(wanted);
    assertThat(moves.find(image)).contains(wanted.toString());
    Files.delete(folder.resolve("file"));
    isNowAt(wanted);
    Files.delete(wanted);
    isNowAt(folder.resolve("more"));
  }

  /** The kernel tells only the name that it was opened by, which is gone. */
  @Test
  void aNameThatWasSearchedForIsSearchedForAgainOnceItIsGone() throws IOException {
    Files.createLink(captured.resolve("link"), folder.resolve("file"));
    Files.delete(folder.resolve("file"));
    isNowAt(captured.resolve("link"));
    isNowAt(Files.move(captured.resolve("link"), captured.resolve("wanted")));
  }

  /** A program that links each of its files elsewhere as well. */
  @Test
  void anotherNameIsSearchedForOnce() throws IOException {
    Files.createLink(captured.resolve("link"), folder.resolve("file"));
    isNowAt(folder.resolve("file"));
    final Path away = Files.move(captured, top.resolve("away"));
    Files.createDirectories(folder);
    Files.createLink(folder.resolve("file"), away.resolve("link"));
    Files.delete(away.resolve("link"));
    assertThat(moves.look()).as("no search would end well").hasSize(1);
    assertThat(moves.obstacle()).isEmpty();
  }

  @Test
  void whatCannotBeSearchedForIsSaidUntilItIsFound() throws IOException {
    Files.createLink(captured.resolve("wanted"), folder.resolve("file"));
    Files.delete(folder.resolve("file"));
    final Path away = Files.move(captured, top.resolve("away"));
    assertThat(moves.look()).isEmpty();
    assertThat(moves.obstacle())
        .hasValueSatisfying(why -> assertThat(why).hasMessageContaining("captured"));
    Files.move(away, captured);
    isNowAt(captured.resolve("wanted"));
    assertThat(moves.obstacle()).isEmpty();
  }

  @Test
  void aFileWithoutANameIsLookedAtUntilItHasOne() throws IOException {
    final Path elsewhere = top.resolve("elsewhere");
    Files.createLink(elsewhere, folder.resolve("file"));
    Files.delete(folder.resolve("file"));
    assertThat(moves.look()).isEqualTo(Map.of(image, Optional.empty()));
    moves.looked(image, Optional.empty());
    Files.createLink(captured.resolve("link"), elsewhere);
    isNowAt(captured.resolve("link"));
  }
}
