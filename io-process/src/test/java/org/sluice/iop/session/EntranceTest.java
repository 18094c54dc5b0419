package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.sluice.core.libc.Errno;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ImageTable;
import org.sluice.core.segment.TestSegments;

/** What processes say of files that they enter as images by themselves, true or not. */
class EntranceTest extends ServeTest {
  private RawProcess process;
  private ImageTable table;

  @Test
  void aFileThatIsEnteredIsAnImage() throws Exception {
    whileServed(
        serve -> {
          final Path file = create(capture.resolve("file"));
          final int id = enter(file, file);
          process.write(id, 0, bytes("written"));
          settle(id);
          assertThat(file).hasContent("written");
        });
  }

  @Test
  void aNameOutsideTheCaptureDirectoryFailsThatImageOnly() throws Exception {
    final Path file = create(root.resolve("elsewhere"));
    failsAlone(file, file, file + " is not in the capture directory");
    assertThat(file).isEmptyFile();
  }

  @Test
  void aLinkOutOfTheCaptureDirectoryFailsThatImageOnly() throws Exception {
    final Path file = create(root.resolve("elsewhere"));
    final Path link = Files.createSymbolicLink(capture.resolve("link"), file);
    failsAlone(file, link, "its file is not in the capture directory");
    assertThat(file).isEmptyFile();
  }

  @Test
  void aFileThatHasAnotherNameByNowIsFound() throws Exception {
    whileServed(
        serve -> {
          final Path file = create(capture.resolve("file"));
          final int id = enter(file, capture.resolve("former"));
          process.write(id, 0, bytes("written"));
          settle(id);
          assertThat(file).hasContent("written");
        });
  }

  @Test
  void aFileThatIsAnImageFailsThatImageOnly() throws Exception {
    final Path file = capture.resolve("good");
    failsAlone(file, file, "its file was an image before");
  }

  @Test
  void aFileWhoseNumberALaterImageHasIsDeletedWithoutAWord() throws Exception {
    whileServed(
        serve -> {
          final Reply.Opened good = process.create(capture.resolve("good"));
          final FileIdentity later =
              FileStatus.behind(capture.resolve("good").toString()).identity();
          final FileIdentity deleted =
              new FileIdentity(later.device(), later.inode(), later.born() - 1);
          final int id = enter(deleted, capture.resolve("deleted"));
          process.write(id, 0, bytes("nowhere"));
          settle(id);
          checkWorks(good);
          assertThat(serve.errors()).isEmpty();
        });
  }

  @Test
  void aFileThatIsGoneIsMissedByNobodyWhereTheStoreHasNoRoom() throws Exception {
    final Path file = create(capture.resolve("file"));
    Files.createDirectories(store);
    whileServed(
        serve -> {
          final Reply.Opened good = process.create(capture.resolve("good"));
          final FileStatus status = FileStatus.behind(file.toString());
          Files.delete(file);
          Files.move(store.resolve("staging"), store.resolve("away"));
          final int id = enter(status.identity(), file);
          process.write(id, 0, bytes("nowhere"));
          settle(id);
          Files.move(store.resolve("away"), store.resolve("staging"));
          checkWorks(good);
          assertThat(serve.errors()).contains(file + " was deleted by a program outside Sluice");
        });
  }

  @Test
  void nonsenseFailsAllImagesOfItsProcessAndLeavesNoEntry() throws Exception {
    whileServed(
        serve -> {
          final Reply.Opened image = process.create(capture.resolve("image"));
          final Path file = create(capture.resolve("file"));
          final int entry = take(FileStatus.behind(file.toString()), table.nextId());
          TestSegments.open(process.segment(), process.slot(), 7, table.count(), file.toString());
          process.tell(new Request.Wake());
          await(() -> table.error(image.entry()) == Errno.EIO);
          await(() -> table.error(entry) == Errno.EIO);
          process.leave();
          process.hangUp();
          await(() -> table.state(entry) == ImageDescriptor.STATE_FREE);
        });
  }

  /** Nobody would take the image, and nobody would tell its process. */
  @Test
  void aProcessAsksForTheFileThatItIsEnteringWhenItsRingIsNonsense() throws Exception {
    whileServed(
        serve -> {
          final Path file = create(capture.resolve("file"));
          final int entry = take(FileStatus.behind(file.toString()), table.nextId());
          table.state(
              entry,
              process.slot() << ImageDescriptor.STATE_SLOT_SHIFT | ImageDescriptor.STATE_ENTERING);
          final Reply.Opened image = process.create(capture.resolve("image"));
          TestSegments.open(process.segment(), process.slot(), 7, table.count(), file.toString());
          process.tell(new Request.Wake());
          await(() -> table.error(image.entry()) == Errno.EIO);
          process.call(new Request.Stats()); // behind all that the damage leads to
          assertThat(table.isEntering(entry, process.slot())).isFalse();
          assertThat(table.isBeingEntered(entry, process.slot())).isTrue();
        });
  }

  /** What it would log, and say of their closes, nobody takes. */
  @Test
  void filesArePlainOrDirectOnceTheirProcessHasSaidNonsense() throws Exception {
    whileServed(
        "container",
        serve -> {
          final Path known = capture.resolve("known");
          process.end(process.create(known).imageId());
          final Reply.Opened image = process.create(capture.resolve("image"));
          process.tellRing(123_456, -1, 99);
          await(() -> table.error(image.entry()) == Errno.EIO);
          final Reply.Opened again = process.open(known, RequestDescriptor.OPEN_WRITE);
          assertThat(again.disposition()).isEqualTo(RequestDescriptor.DIRECT);
          final Path next = capture.resolve("next");
          assertThat(process.create(next).disposition()).isEqualTo(RequestDescriptor.PLAIN);
          assertThat(serve.errors()).contains(next + " is not captured", "is damaged");
        });
  }

  @FunctionalInterface
  private interface Step {
    void run(ServeProcess serve) throws Exception;
  }

  private void whileServed(final Step step) throws Exception {
    whileServed("files", step);
  }

  private void whileServed(final String layout, final Step step) throws Exception {
    try (ServeProcess serve = serve(layout);
        RawProcess attached = RawProcess.attach(serve.directory())) {
      process = attached;
      table = attached.segment().imageTable();
      step.run(serve);
    }
  }

  /** One image fails that is entered, and one that the process has asked for goes on. */
  private void failsAlone(final Path file, final Path name, final String reason) throws Exception {
    whileServed(
        serve -> {
          final Reply.Opened good = process.create(capture.resolve("good"));
          final int id = enter(file, name);
          awaitFailed(id);
          await(() -> serve.errors().contains(reason)); // a writer sees it before it is said
          process.write(id, 0, bytes("lost"));
          checkWorks(good);
        });
  }

  private void checkWorks(final Reply.Opened image) throws IOException {
    process.write(image.imageId(), 0, bytes("works"));
    settle(image.imageId());
    assertThat(table.error(image.entry())).isZero();
    assertThat(capture.resolve("good")).hasContent("works");
  }

  private void settle(final int id) throws IOException {
    process.publish();
    assertThat(process.call(new Request.Settle(id, 0))).isInstanceOf(Reply.Settled.class);
  }

  private void awaitFailed(final int id) throws Exception {
    await(
        () ->
            process.call(new Request.Sync(id)) instanceof final Reply.Failed failed
                && failed.errno() > 0);
  }

  private static Path create(final Path file) throws IOException {
    return Files.createFile(file);
  }

  private int enter(final Path file, final Path name) throws IOException {
    return enter(FileStatus.behind(file.toString()).identity(), name);
  }

  private int enter(final FileIdentity file, final Path name) throws IOException {
    final int id = table.nextId();
    final int entry = TestSegments.enter(process.segment(), process.slot(), id, file);
    TestSegments.open(process.segment(), process.slot(), id, entry, name.toString());
    process.tell(new Request.Wake());
    return id;
  }

  private int take(final FileStatus file, final int id) {
    return TestSegments.enter(process.segment(), process.slot(), id, file.identity());
  }
}
