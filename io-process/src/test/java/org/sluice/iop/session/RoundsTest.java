package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;

/**
 * Ranks that have closed all files of a checkpoint and write it once more, while the I/O process
 * has not yet read of all of that.
 */
class RoundsTest extends GroupServeTest {
  private static final int REPLIES_TO_ZERO = 3;
  private static final int REPLIES_TO_ONE = 1;

  /** How a rank writes its file once more. */
  enum Anew {
    EMPTIED {
      @Override
      Reply.Opened begin(final RawProcess process, final Path file) throws IOException {
        return process.open(file, RequestDescriptor.OPEN_CREATED | RequestDescriptor.OPEN_WRITE);
      }
    },
    DELETED {
      @Override
      Reply.Opened begin(final RawProcess process, final Path file) throws IOException {
        Files.delete(file);
        return process.create(file);
      }
    },
    RENAMED {
      @Override
      Reply.Opened begin(final RawProcess process, final Path file) throws IOException {
        return process.create(part(file));
      }

      @Override
      void end(final Path file) throws IOException {
        Files.move(
            part(file), file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      }

      private static Path part(final Path file) {
        return file.resolveSibling("part-" + file.getFileName().toString().replace('-', '.'));
      }
    };

    abstract Reply.Opened begin(RawProcess process, Path file) throws IOException;

    void end(final Path file) throws IOException {}
  }

  private static void anew(final Anew how, final RawProcess process, final Path file)
      throws IOException {
    final Reply.Opened image = how.begin(process, file);
    write(process, image, "new");
    process.end(image.imageId());
    how.end(file);
  }

  /** As a process does it, whose image has a size in the table. */
  private static void write(final RawProcess process, final Reply.Opened image, final String text) {
    process.write(image.imageId(), 0, bytes(text));
    process.segment().imageTable().size(image.entry(), text.length());
  }

  private static Reply.Opened create(final RawProcess process, final Path file, final String text)
      throws IOException {
    final Reply.Opened image = process.create(file);
    write(process, image, text);
    return image;
  }

  private Path file(final int rank) {
    return capture.resolve("step-1." + rank);
  }

  /** What a rank has closed, and the I/O process has not yet read of. */
  private record Unread(int image, long closed) {
    static Unread of(final RawProcess process, final Path file) throws IOException {
      final Reply.Opened image = create(process, file, "old");
      process.publish();
      return new Unread(image.imageId(), System.nanoTime());
    }

    void readBy(final RawProcess process) throws IOException {
      process.endWithoutReply(image, closed);
      process.call(new Request.Stats());
    }
  }

  private static void write(final RawProcess process, final Path file) throws IOException {
    process.end(create(process, file, "old").imageId());
  }

  @ParameterizedTest
  @EnumSource(Anew.class)
  void theFilesOfTheOtherRankWaitUntilTheyAreWrittenAnewToo(final Anew how) throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      write(zero, file(0));
      final Unread unread = Unread.of(one, file(1));
      anew(how, zero, file(0));
      unread.readBy(one);
      expectOnlyALaterStep(zero, one);
      anew(how, one, file(1));
      expectNew(one);
    }
  }

  @ParameterizedTest
  @EnumSource(Anew.class)
  void theyAreNotCommittedAtTheEndEither(final Anew how) throws Exception {
    try (ServeProcess serve = serveGroups()) {
      try (RawProcess zero = rank(serve, 0, 2);
          RawProcess one = rank(serve, 1, 2)) {
        write(zero, file(0));
        final Unread unread = Unread.of(one, file(1));
        anew(how, zero, file(0));
        unread.readBy(one);
        zero.leave();
        one.leave();
      }
      assertThat(serve.stop()).isZero();
      assertThat(serve.errors()).contains("1 of 2 images rewritten after all had been closed");
    }
    assertThat(numbers()).isEmpty();
    assertThat(file(0)).hasContent("new");
    assertThat(file(1)).hasContent("old");
  }

  /** A commit ends what is known of the files before it, and begins it anew. */
  @ParameterizedTest
  @EnumSource(Anew.class)
  void thatIsSoInALaterRound(final Anew how) throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      write(zero, file(0));
      write(one, file(1));
      assertThat(committed(one, 1)).isEqualTo(new Reply.Done());
      Files.delete(file(0));
      Files.delete(file(1));
      write(zero, file(0));
      final Unread unread = Unread.of(one, file(1));
      anew(how, zero, file(0));
      unread.readBy(one);
      writeStep(2, "later", zero, one);
      committed(zero, 2);
      assertThat(restored(1, "step-1.0")).isEqualTo("old");
      anew(how, one, file(1));
      expectNew(one);
    }
  }

  /** A rank that finds its own file to be wrong writes that again, and nobody else does. */
  @ParameterizedTest
  @EnumSource(Anew.class)
  void aFileThatIsWrittenAnewBeforeAllAreClosedHoldsNobodyUp(final Anew how) throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      write(zero, file(0));
      final int late = create(one, file(1), "new").imageId();
      anew(how, zero, file(0));
      one.end(late);
      expectNew(one);
    }
  }

  /** As a header that is filled in when the rest is there. */
  @Test
  void aFileThatIsOpenedAgainWithoutBeingEmptiedHoldsNobodyUp() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      write(zero, file(0));
      final Unread unread = Unread.of(one, file(1));
      final Reply.Opened again = zero.open(file(0), RequestDescriptor.OPEN_WRITE);
      write(zero, again, "new");
      zero.end(again.imageId());
      unread.readBy(one);
      assertThat(committed(one, 1)).isEqualTo(new Reply.Done());
      assertThat(restored(1, "step-1.0")).isEqualTo("new");
    }
  }

  /** As {@code mkstemp} makes one, which is opened by its name later. */
  @Test
  void aFileThatWasEmptyBeforeHoldsNobodyUp() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      zero.end(zero.create(file(0)).imageId());
      final Unread unread = Unread.of(one, file(1));
      anew(Anew.EMPTIED, zero, file(0));
      unread.readBy(one);
      assertThat(committed(one, 1)).isEqualTo(new Reply.Done());
    }
  }

  /** The file that completes it is of the former round until it is written once more, too. */
  @Test
  void aMarkerOfTheRoundBeforeCompletesNothing() throws Exception {
    try (ServeProcess serve = serveGroups("--complete", "^done[.]([0-9]+)$");
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      final Path marker = capture.resolve("done.1");
      write(zero, file(0));
      write(one, file(1));
      final Unread unread = Unread.of(one, marker);
      anew(Anew.EMPTIED, zero, file(0));
      unread.readBy(one);
      expectNoCommit(zero);
      anew(Anew.EMPTIED, one, file(1));
      expectNoCommit(zero);
      anew(Anew.EMPTIED, one, marker);
      expectNew(zero);
    }
  }

  @ParameterizedTest
  @EnumSource(Anew.class)
  void aKillOfTheIoProcessChangesNothingAboutThat(final Anew how) throws Exception {
    try (ServeProcess killed = serveGroups();
        RawProcess zero = rank(killed, 0, 2);
        RawProcess one = rank(killed, 1, 2)) {
      write(zero, file(0));
      final Unread unread = Unread.of(one, file(1));
      final Reply.Opened image = how.begin(zero, file(0));
      killed.kill();
      try (ServeProcess resumed = serveGroups("--resume");
          RawProcess zeroAgain = zero.resume(resumed.directory(), REPLIES_TO_ZERO);
          RawProcess oneAgain = one.resume(resumed.directory(), REPLIES_TO_ONE)) {
        write(zeroAgain, image, "new");
        zeroAgain.end(image.imageId());
        how.end(file(0));
        unread.readBy(oneAgain);
        expectOnlyALaterStep(zeroAgain, oneAgain);
        anew(how, oneAgain, file(1));
        expectNew(oneAgain);
      }
    }
  }

  /** Nothing is left of a file that is written anew as an empty one. */
  @Test
  void aFileThatIsEmptyThenIsOfThatRoundToo() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      write(zero, file(0));
      final Unread unread = Unread.of(one, file(1));
      zero.end(Anew.EMPTIED.begin(zero, file(0)).imageId());
      unread.readBy(one);
      expectOnlyALaterStep(zero, one);
    }
  }

  private void expectNoCommit(final RawProcess process) throws IOException {
    assertThat(process.call(new Request.Await(1, 50))).isInstanceOf(Reply.Failed.class);
    assertThat(numbers()).isEmpty();
  }

  /** What could be committed before it is, too, when a later one is. */
  private void expectOnlyALaterStep(final RawProcess zero, final RawProcess one) throws Exception {
    writeStep(2, "later", zero, one);
    committed(zero, 2);
    assertThat(numbers()).containsExactly(2L);
  }

  private void expectNew(final RawProcess process) throws IOException {
    assertThat(committed(process, 1)).isEqualTo(new Reply.Done());
    assertThat(List.of(restored(1, "step-1.0"), restored(1, "step-1.1")))
        .containsExactly("new", "new");
  }
}
