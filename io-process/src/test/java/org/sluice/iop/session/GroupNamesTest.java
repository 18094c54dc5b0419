package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.store.node.PosixStore;

/** Files of a group that get other names, or none. */
class GroupNamesTest extends GroupServeTest {
  @Test
  void imageJoinsItsGroupWhenItGetsItsFinalName() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      final Path temporary = capture.resolve("temporary");
      process.end(write(process, temporary, "bytes").imageId());
      renamed(process, Files.move(temporary, capture.resolve("step-3")));
      assertThat(committed(process, 3)).isEqualTo(new Reply.Done());
      assertThat(restored(3, "step-3")).isEqualTo("bytes");
    }
  }

  @Test
  void committedImageIsNotLostWhenAnotherTakesItsName() throws Exception {
    final Path file = capture.resolve("step-1");
    final Path aside = capture.resolve("before");
    try (ServeProcess serve = serveGroups()) {
      try (RawProcess process = rank(serve, 0, 1)) {
        process.end(write(process, file, "old").imageId());
        assertThat(committed(process, 1)).isEqualTo(new Reply.Done());
        renamed(process, Files.move(file, aside));
        process.end(write(process, file, "newer").imageId());
        await(() -> restored(1, "step-1").equals("newer"));
      }
      assertThat(serve.stop()).isZero();
    }
    assertThat(numbers()).containsExactly(1L);
    assertThat(aside).hasContent("old");
    assertThat(file).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void checkpointOfAFileWithAnotherNameIsKept(final boolean renamed) throws Exception {
    final Path file = capture.resolve("step-1.0");
    final Path kept = capture.resolve("kept");
    try (ServeProcess serve = serveGroups("--keep", "1")) {
      try (RawProcess process = rank(serve, 0, 1)) {
        writeStep(1, "first", process);
        assertThat(committed(process, 1)).isEqualTo(new Reply.Done());
        if (renamed) {
          renamed(process, Files.move(file, kept));
        } else {
          Files.createLink(kept, file);
        }
        expectOnlyTheNewestTwoKept(process);
        assertThat(kept).exists();
        assertThat(Files.exists(file)).as("no name goes of what stays").isEqualTo(!renamed);
      }
      assertThat(serve.stop()).isZero();
    }
    assertThat(numbers()).containsExactly(1L, 3L, 4L);
    assertThat(restored(1, "step-1.0")).isEqualTo("first");
  }

  @Test
  void aCheckpointThatIsReadKeepsItsNames() throws Exception {
    try (ServeProcess serve = serveGroups("--keep", "1");
        RawProcess process = rank(serve, 0, 1)) {
      writeStep(1, "first", process);
      assertThat(committed(process, 1)).isEqualTo(new Reply.Done());
      try (PosixStore reader = PosixStore.open(store)) {
        reader.whileHeld(
            reader.newest().orElseThrow(),
            () -> {
              writeStepCommitted(process, 2);
              writeStepCommitted(process, 3);
              assertThat(capture.resolve("step-1.0")).exists();
              assertThat(numbers()).contains(1L);
            });
      }
      writeStepCommitted(process, 4);
      await(() -> numbers().equals(List.of(3L, 4L)));
      assertThat(capture.resolve("step-1.0")).doesNotExist();
    }
  }

  private void writeStepCommitted(final RawProcess process, final int step) throws IOException {
    try {
      writeStep(step, "later", process);
      assertThat(committed(process, step)).isEqualTo(new Reply.Done());
    } catch (final IOException e) {
      throw e;
    } catch (final Exception e) {
      throw new IOException(e);
    }
  }

  @Test
  void checkpointOfAFileWithAnotherNameIsKeptOverAKill() throws Exception {
    final Path kept = capture.resolve("kept");
    try (ServeProcess killed = serveGroups("--keep", "1")) {
      try (RawProcess process = rank(killed, 0, 1)) {
        writeStep(1, "first", process);
        assertThat(committed(process, 1)).isEqualTo(new Reply.Done());
        renamed(process, Files.move(capture.resolve("step-1.0"), kept));
        process.call(new Request.Await(2, 1)); // the answer comes behind the renaming
        killed.kill();
      }
    }
    try (ServeProcess resumed = serveGroups("--keep", "1", "--resume")) {
      try (RawProcess process = rank(resumed, 0, 1)) {
        expectOnlyTheNewestTwoKept(process);
        assertThat(kept).exists();
      }
      assertThat(resumed.stop()).isZero();
    }
    assertThat(numbers()).containsExactly(1L, 3L, 4L);
    assertThat(restored(1, "step-1.0")).isEqualTo("first");
  }

  /** One that a count completed keeps the one before it. And the first one a program keeps. */
  private void expectOnlyTheNewestTwoKept(final RawProcess process) throws Exception {
    for (int step = 2; step <= 4; step++) {
      writeStep(step, "later", process);
      assertThat(committed(process, step)).isEqualTo(new Reply.Done());
    }
    await(() -> !numbers().contains(2L));
  }

  @Test
  void checkpointIsCommittedWhenWhatItWaitsForIsDeletedOrMovedAway() throws Exception {
    try (ServeProcess serve = serveGroups()) {
      killed(
          serve,
          0,
          zero -> {
            zero.end(write(zero, capture.resolve("step-1.old"), "old").imageId());
            zero.end(write(zero, capture.resolve("step-2.old"), "old").imageId());
          });
      try (RawProcess zero = rank(serve, 0, 2);
          RawProcess one = rank(serve, 1, 2)) {
        writeStep(1, "new", zero, one);
        writeStep(2, "new", zero, one);
        assertThat(zero.call(new Request.Await(2, 100))).isInstanceOf(Reply.Failed.class);
        assertThat(numbers()).isEmpty();
        Files.delete(capture.resolve("step-1.old"));
        assertThat(committed(zero, 1)).isEqualTo(new Reply.Done());
        renamed(zero, Files.move(capture.resolve("step-2.old"), capture.resolve("old")));
        assertThat(committed(zero, 2)).isEqualTo(new Reply.Done());
      }
    }
  }

  /** A removal gives back what it finds to be another file, which a commit may come upon before. */
  @Test
  void aFileThatHasANameOfOursForAMomentStaysInItsGroup() throws Exception {
    final Path file = capture.resolve("step-1.0");
    final Path aside = capture.resolve(".sluice-removed-0000000000001234");
    try (ServeProcess serve = serveGroups()) {
      try (RawProcess zero = rank(serve, 0, 2);
          RawProcess one = rank(serve, 1, 2)) {
        zero.end(write(zero, file, "zero").imageId());
        Files.move(file, aside);
        one.end(write(one, capture.resolve("step-1.1"), "one").imageId());
        zero.call(new Request.Await(1, 100));
        zero.leave();
        one.leave();
      }
      assertThat(serve.stop()).isZero();
    }
    assertThat(restored(1, "step-1.0")).isEqualTo("zero");
    assertThat(restored(1, "step-1.1")).isEqualTo("one");
  }

  @Test
  void committedNamesLeaveTheCaptureDirectoryAtTheEnd() throws Exception {
    try (ServeProcess serve = serveGroups()) {
      try (RawProcess process = rank(serve, 0, 1)) {
        process.end(write(process, capture.resolve("step-1"), "committed").imageId());
        process.end(write(process, capture.resolve("other"), "left over").imageId());
        assertThat(committed(process, 1)).isEqualTo(new Reply.Done());
      }
      assertThat(serve.stop()).isZero();
    }
    assertThat(numbers()).containsExactly(1L);
    assertThat(capture.resolve("step-1")).doesNotExist();
    assertThat(capture.resolve("other")).hasContent("left over");
  }
}
