package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.TestSegments;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.node.PosixStore;

/** Checkpoints that a file completes whose name says so. */
class MarkerTest extends GroupServeTest {
  private ServeProcess serveMarked(final String... more) throws IOException {
    final String[] all = new String[more.length + 2];
    all[0] = "--complete";
    all[1] = "^done\\.([0-9]+)$";
    System.arraycopy(more, 0, all, 2, more.length);
    return serveGroups(all);
  }

  private void write(final RawProcess process, final String name) throws IOException {
    process.end(write(process, capture.resolve(name), name).imageId());
  }

  private Commit commit(final long number) throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      return opened.find(number).orElseThrow();
    }
  }

  /** The answer comes behind all that was told before, and what follows at once. */
  private void expectNoCommit(final RawProcess process) throws IOException {
    assertThat(process.call(new Request.Await(1, 50))).isInstanceOf(Reply.Failed.class);
    assertThat(numbers()).isEmpty();
  }

  @Test
  void closingTheMarkerCommitsWhateverIsThere() throws Exception {
    try (ServeProcess serve = serveMarked();
        RawProcess zero = rank(serve, 0, 3);
        RawProcess one = rank(serve, 1, 3)) {
      write(zero, "step-1.base");
      write(zero, "step-1.0");
      write(one, "step-1.1");
      expectNoCommit(zero);
      write(zero, "done.1");
      assertThat(committed(zero, 1)).isEqualTo(new Reply.Done());
      final Commit commit = commit(1);
      assertThat(commit.completion()).contains(Completion.MARKER);
      assertThat(commit.content().images()).isEqualTo(4);
      assertThat(restored(1, "done.1")).isEqualTo("done.1");
    }
  }

  @Test
  void markerWaitsForEveryFileThatIsOpen() throws Exception {
    try (ServeProcess serve = serveMarked();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      final int late = write(one, capture.resolve("step-1.1"), "late").imageId();
      write(zero, "step-1.0");
      write(zero, "done.1");
      expectNoCommit(zero);
      one.end(late);
      assertThat(committed(zero, 1)).isEqualTo(new Reply.Done());
      assertThat(restored(1, "step-1.1")).isEqualTo("late");
    }
  }

  /**
   * Its ring is read behind the one on which the next checkpoint begins, though it was there
   * before.
   */
  @Test
  void aMarkerThatIsNotKnownYetIsNotSaidToBeMissing() throws Exception {
    try (ServeProcess serve = serveMarked();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      write(zero, "step-1.0");
      serve.freeze();
      enter(one, "done.1");
      enter(zero, "step-2.0");
      serve.thaw();
      assertThat(committed(zero, 1)).isEqualTo(new Reply.Done());
      write(zero, "done.2");
      assertThat(committed(zero, 2)).isEqualTo(new Reply.Done());
      assertThat(serve.stop()).isZero();
      assertThat(serve.errors()).doesNotContain("is not committed while");
    }
  }

  /** Creates a file without asking, and closes it. */
  private void enter(final RawProcess process, final String name) throws IOException {
    final Path path = Files.createFile(capture.resolve(name));
    final int id = process.segment().imageTable().nextId();
    final FileIdentity file = FileStatus.behind(path.toString()).identity();
    final int entry = TestSegments.enter(process.segment(), process.slot(), id, file);
    TestSegments.open(process.segment(), process.slot(), id, entry, path.toString());
    process.endWithoutReply(id);
  }

  @Test
  void markerThatGetsItsNameByARenameCounts() throws Exception {
    try (ServeProcess serve = serveMarked();
        RawProcess zero = rank(serve, 0, 1)) {
      write(zero, "step-1.0");
      write(zero, "temporary");
      expectNoCommit(zero);
      renamed(zero, Files.move(capture.resolve("temporary"), capture.resolve("done.1")));
      assertThat(committed(zero, 1)).isEqualTo(new Reply.Done());
    }
  }

  @Test
  void markerOfAKilledWriterCountsForNothing() throws Exception {
    try (ServeProcess serve = serveMarked();
        RawProcess one = rank(serve, 1, 2)) {
      write(one, "step-1.1");
      killed(serve, 0, zero -> write(zero, capture.resolve("done.1"), "half"));
      expectNoCommit(one);
    }
  }

  @Test
  void aRoundNeedsAMarkerOfItsOwnAsTheLastFile() throws Exception {
    try (ServeProcess serve = serveMarked();
        RawProcess zero = rank(serve, 0, 1)) {
      write(zero, "step-1.0");
      write(zero, "done.1");
      assertThat(committed(zero, 1)).isEqualTo(new Reply.Done());
      rewrite(zero, "done.1");
      rewrite(zero, "step-1.0");
      zero.call(new Request.Await(1, 50));
      assertThat(restored(1, "step-1.0")).as("the marker was first").isEqualTo("step-1.0");
      zero.end(write(zero, capture.resolve("done.1"), "again").imageId());
      await(() -> restored(1, "step-1.0").equals("new"));
      assertThat(restored(1, "done.1")).isEqualTo("again");
    }
  }

  private void rewrite(final RawProcess process, final String name) throws IOException {
    final Path file = capture.resolve(name);
    replace(process, file, RequestDescriptor.REPLACE_TRUNCATE);
    process.end(write(process, file, "new").imageId());
  }

  @Test
  void whatNoMarkerCompletesStaysPlainAtTheEnd() throws Exception {
    try (ServeProcess serve = serveMarked()) {
      try (RawProcess zero = rank(serve, 0, 1)) {
        write(zero, "step-1.0");
        write(zero, "done.1");
        write(zero, "step-2.0");
        committed(zero, 1);
      }
      assertThat(serve.stop()).isZero();
    }
    assertThat(numbers()).containsExactly(1L);
    assertThat(capture.resolve("step-2.0")).hasContent("step-2.0");
  }

  @Test
  void markerCountsOverAKillOfTheIoProcess() throws Exception {
    try (ServeProcess killed = serveMarked();
        RawProcess zero = rank(killed, 0, 2);
        RawProcess one = rank(killed, 1, 2)) {
      final int late = one.create(capture.resolve("step-1.1")).imageId();
      write(zero, "step-1.0");
      write(zero, "done.1");
      zero.call(new Request.Stats());
      killed.kill();
      try (ServeProcess resumed = serveMarked("--resume");
          RawProcess again = one.resume(resumed.directory(), 1)) {
        expectNoCommit(again);
        again.end(late);
        assertThat(committed(again, 1)).isEqualTo(new Reply.Done());
        assertThat(commit(1).content().images()).isEqualTo(3);
      }
    }
  }
}
