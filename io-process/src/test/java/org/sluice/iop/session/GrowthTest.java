package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.node.PosixStore;

/** Files that join checkpoints which a count of files has completed. */
class GrowthTest extends GroupServeTest {
  /** To each of two files an opening, a request behind its end, and an await; then an opening. */
  private static final int REPLIES = 7;

  private void write(final RawProcess process, final String name) throws IOException {
    process.end(write(process, capture.resolve(name), name).imageId());
  }

  private Optional<Long> newest() throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      return opened.newest().map(Commit::number);
    }
  }

  private int images(final long number) throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      return opened.find(number).orElseThrow().content().images();
    }
  }

  private List<String> paths(final long number) throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      return opened.images(opened.find(number).orElseThrow()).stream()
          .map(CommittedImage::path)
          .toList();
    }
  }

  private void writeTwo(final RawProcess process) throws IOException {
    write(process, "step-1");
    committed(process, 1);
    write(process, "step-2");
    committed(process, 2);
    assertThat(newest()).contains(2L);
  }

  @Test
  void theOneBeforeIsNewestWhileAFileJoins() throws Exception {
    try (ServeProcess serve = serveGroups("--keep", "1");
        RawProcess process = rank(serve, 0, 1)) {
      writeTwo(process);
      final int late = write(process, capture.resolve("step-2.late"), "late").imageId();
      await(() -> newest().equals(Optional.of(1L)));
      process.end(late);
      assertThat(committed(process, 2)).isEqualTo(new Reply.Done());
      assertThat(newest()).contains(2L);
      assertThat(restored(2, "step-2.late")).isEqualTo("late");
    }
  }

  @Test
  void incompleteOnesDoNotPushTheLastCompleteOneOut() throws Exception {
    try (ServeProcess serve = serveGroups("--keep", "1");
        RawProcess process = rank(serve, 0, 1)) {
      writeTwo(process);
      for (int step = 2; step <= 4; step++) {
        process.create(capture.resolve("step-" + step + ".late"));
        await(() -> newest().equals(Optional.of(1L)));
        for (int file = 0; file < step; file++) { // as many as the one before has
          write(process, "step-%d.%d".formatted(step + 1, file));
        }
        committed(process, step + 1);
        assertThat(newest()).contains(step + 1L);
      }
      await(() -> numbers().equals(List.of(1L, 4L, 5L)));
    }
  }

  @Test
  void itStaysSoOverAKillOfTheIoProcess() throws Exception {
    try (ServeProcess killed = serveGroups();
        RawProcess process = rank(killed, 0, 1)) {
      writeTwo(process);
      final int late = process.create(capture.resolve("step-2.late")).imageId();
      await(() -> newest().equals(Optional.of(1L)));
      killed.kill();
      try (ServeProcess resumed = serveGroups("--resume");
          RawProcess again = process.resume(resumed.directory(), REPLIES)) {
        assertThat(newest()).contains(1L);
        again.end(late);
        assertThat(committed(again, 2)).isEqualTo(new Reply.Done());
        assertThat(newest()).contains(2L);
        assertThat(images(2)).isEqualTo(2);
      }
    }
  }

  @Test
  void anotherRoundOfWritingIsNoGrowth() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      writeTwo(process);
      Files.delete(capture.resolve("step-2"));
      final int anew = write(process, capture.resolve("step-2.anew"), "anew").imageId();
      process.call(new Request.Await(9, 50));
      assertThat(newest()).as("whole, of the round before").contains(2L);
      process.end(anew);
      await(() -> paths(2).equals(List.of("step-2.anew")));
    }
  }

  @Test
  void manyFilesAreAHandfulOfCommits() throws Exception {
    final int files = 300;
    try (ServeProcess serve = serveGroups("--keep", "all");
        RawProcess process = rank(serve, 0, 1)) {
      for (int i = 0; i < files; i++) {
        process.end(process.create(capture.resolve("step-1." + i)).imageId());
      }
      assertThat(committed(process, 1)).isEqualTo(new Reply.Done());
      assertThat(images(1)).isEqualTo(files);
      try (PosixStore opened = PosixStore.open(store)) {
        assertThat(opened.find(1).orElseThrow().identity().sequence()).isLessThan(files / 5);
      }
    }
  }

  /** It comes after a second with no more files, which a busy machine may let pass at any place. */
  private void assertNotAtOnce(final long number, final long begin) throws IOException {
    final boolean isThere = numbers().contains(number);
    final long passed = System.nanoTime() - begin;
    assertThat(isThere && passed < TimeUnit.SECONDS.toNanos(1)).isFalse();
  }

  @Test
  void theNextCheckpointIsGivenWhatTheOneBeforeGotInTheEnd() throws Exception {
    try (ServeProcess serve = serveGroups("--keep", "all");
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      writeStep(1, "first", zero, one);
      write(zero, "step-1.base");
      final long second = System.nanoTime();
      writeStep(2, "second", zero, one);
      zero.call(new Request.Await(9, 50));
      assertNotAtOnce(2, second); // it waits for three files
      write(zero, "step-2.base");
      await(() -> numbers().contains(2L) && images(2) == 3);
      final long third = System.nanoTime();
      writeStep(3, "third", zero, one);
      await(() -> numbers().contains(3L));
      assertNotAtOnce(3, third);
      writeStep(4, "fourth", zero, one);
      await(() -> numbers().contains(4L)); // the one before got no more
    }
  }

  @Test
  void aRankThatIsKilledBeforeItsLastFileLeavesNoCheckpoint() throws Exception {
    try (ServeProcess serve = serveGroups()) {
      try (RawProcess one = rank(serve, 1, 2)) {
        killed(
            serve,
            0,
            zero -> {
              writeStep(1, "first", zero, one);
              write(zero, "step-1.base");
              writeStep(2, "second", zero, one);
            });
        write(one, "step-3");
        assertThat(one.call(new Request.Await(2, 50))).isInstanceOf(Reply.Failed.class);
      }
      assertThat(serve.stop()).isZero();
    }
    assertThat(newest()).contains(1L);
    assertThat(numbers()).containsExactly(1L);
  }

  @Test
  void aFileThatIsEmptiedJoinsNothing() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      writeTwo(process);
      final Path file = capture.resolve("step-2");
      replace(process, file, RequestDescriptor.REPLACE_TRUNCATE);
      final int anew = write(process, file, "anew").imageId();
      process.call(new Request.Await(9, 50));
      assertThat(newest()).contains(2L);
      process.end(anew);
      await(() -> restored(2, "step-2").equals("anew"));
    }
  }
}
