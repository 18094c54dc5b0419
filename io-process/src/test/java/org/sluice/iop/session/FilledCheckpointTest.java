package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;

/**
 * The files that a process writes between the begin and the completion of a checkpoint. The process
 * has a slot for its session and another one for its files, as under the shim.
 */
class FilledCheckpointTest extends GroupServeTest {
  private static final Reply DONE = new Reply.Done();

  private static Reply begin(final RawProcess session, final long number) throws IOException {
    return session.call(new Request.Begin(number, 1, 0));
  }

  private static Reply complete(final RawProcess session, final long number) throws IOException {
    return session.call(new Request.Complete(number, 0));
  }

  private static RawProcess shim(final ServeProcess serve, final Process of) throws IOException {
    return RawProcess.attach(serve.directory(), identity(of), -1, 0);
  }

  private static RawProcess session(final ServeProcess serve, final Process of) throws IOException {
    return RawProcess.attach(serve.directory(), identity(of), 0, 1);
  }

  private void close(final RawProcess shim, final String name, final String text)
      throws IOException {
    shim.end(write(shim, capture.resolve(name), text).imageId());
  }

  private static void expectFailure(final Reply reply, final int errno, final String message) {
    assertThat(reply).isInstanceOf(Reply.Failed.class);
    assertThat(((Reply.Failed) reply).errno()).isEqualTo(errno);
    assertThat(((Reply.Failed) reply).message()).contains(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"container", "files"})
  void filesOfAnyNameBelongToTheCheckpointThatTheirProcessFills(final String layout)
      throws Exception {
    try (ServeProcess serve = serve(layout, "--group", "step-([0-9]+)")) {
      fill(serve);
      assertThat(serve.stop()).isZero();
    }
    assertThat(numbers()).containsExactly(7L);
  }

  private void fill(final ServeProcess serve) throws Exception {
    try (RawProcess shim = rank(serve, -1, 0);
        RawProcess session = rank(serve, 0, 1);
        RawProcess other = shim(serve, victim())) {
      close(shim, "before", "before");
      assertThat(begin(session, 7)).isEqualTo(DONE);
      close(shim, "any", "any");
      close(shim, "step-3.0", "its name tells another one");
      close(other, "others", "of another process");
      close(shim, "half", "renamed");
      Files.move(capture.resolve("half"), capture.resolve("whole"));
      close(shim, "gone", "gone");
      Files.delete(capture.resolve("gone"));
      assertThat(complete(session, 7)).isEqualTo(DONE);
      close(shim, "after", "after");
      assertThat(committed(session, 7)).isEqualTo(DONE);
      assertThat(restored(7, "any")).isEqualTo("any");
      assertThat(restored(7, "step-3.0")).isEqualTo("its name tells another one");
      assertThat(restored(7, "whole")).isEqualTo("renamed");
      assertThat(committedPaths(7)).containsExactlyInAnyOrder("any", "step-3.0", "whole");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"container", "files"})
  void fileThatIsOpenHoldsTheCommit(final String layout) throws Exception {
    try (ServeProcess serve = serve(layout);
        RawProcess shim = rank(serve, -1, 0);
        RawProcess session = rank(serve, 0, 1)) {
      begin(session, 7);
      final Reply.Opened open = write(shim, capture.resolve("open"), "open");
      assertThat(complete(session, 7)).isEqualTo(DONE);
      expectFailure(session.call(new Request.Await(7, 50)), Errno.ETIMEDOUT, "");
      shim.end(open.imageId());
      assertThat(committed(session, 7)).isEqualTo(DONE);
      assertThat(restored(7, "open")).isEqualTo("open");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"container", "files"})
  void resumedIoProcessKnowsWhatIsFilled(final String layout) throws Exception {
    try (ServeProcess killed = serve(layout);
        RawProcess shim = rank(killed, -1, 0);
        RawProcess session = rank(killed, 0, 1)) {
      begin(session, 6);
      close(shim, "former", "former");
      complete(session, 6);
      assertThat(committed(session, 6)).isEqualTo(DONE);
      begin(session, 7);
      close(shim, "first", "first");
      final Reply.Opened open = write(shim, capture.resolve("second"), "second");
      killed.kill();
      try (ServeProcess resumed = serve(layout, "--resume");
          RawProcess goesOn = shim.resume(resumed.directory(), 5);
          RawProcess completes = session.resume(resumed.directory(), 4)) {
        goesOn.write(open.imageId(), 6, bytes(" and more"));
        goesOn.end(open.imageId());
        close(goesOn, "third", "third");
        assertThat(complete(completes, 7)).isEqualTo(DONE);
        assertThat(committed(completes, 7)).isEqualTo(DONE);
        assertThat(committedPaths(7)).containsExactlyInAnyOrder("first", "second", "third");
        assertThat(restored(7, "first")).isEqualTo("first");
        assertThat(restored(7, "third")).isEqualTo("third");
        assertThat(restored(6, "former")).isEqualTo("former");
      }
    }
  }

  /** A commit is decided at the completion, or by the next I/O process at the last close. */
  @ParameterizedTest
  @ValueSource(strings = {"container", "files"})
  void checkpointIsCommittedByTheNextIoProcess(final String layout) throws Exception {
    try (ServeProcess killed = serve(layout);
        RawProcess shim = rank(killed, -1, 0);
        RawProcess session = rank(killed, 0, 1)) {
      begin(session, 7);
      final Reply.Opened open = write(shim, capture.resolve("file"), "file");
      complete(session, 7);
      killed.kill();
      shim.publishWithoutWaking();
      shim.endWithoutReply(open.imageId());
      try (ServeProcess resumed = serve(layout, "--resume");
          RawProcess closed = shim.resume(resumed.directory(), 1);
          RawProcess waits = session.resume(resumed.directory(), 2)) {
        closed.tell(new Request.Wake());
        assertThat(committed(waits, 7)).isEqualTo(DONE);
        assertThat(restored(7, "file")).isEqualTo("file");
      }
    }
  }

  @Test
  void whatAKilledProcessWroteIsNotCommittedWithWhatItsSuccessorWrites() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess shim = rank(serve, -1, 0);
        RawProcess session = rank(serve, 0, 1)) {
      final Process victim = victim();
      try (RawProcess killed = session(serve, victim);
          RawProcess itsFiles = shim(serve, victim)) {
        begin(killed, 7);
        close(itsFiles, "part-123", "old");
        victim.destroyForcibly().waitFor();
        mourn(itsFiles);
        mourn(killed);
      }
      assertThat(begin(session, 7)).isEqualTo(DONE);
      close(shim, "part-456", "new");
      complete(session, 7);
      assertThat(committed(session, 7)).isEqualTo(DONE);
      assertThat(committedPaths(7)).containsExactly("part-456");
      await(() -> Files.readString(capture.resolve("part-123")).equals("old")); // a plain file now
    }
  }

  @Test
  void fileThatAKilledProcessLeftOpenGivesTheCheckpointUp() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess session = rank(serve, 0, 1)) {
      final Process victim = victim();
      begin(session, 7);
      try (RawProcess shim = rank(serve, -1, 0);
          RawProcess other = shim(serve, victim)) {
        final Path file = capture.resolve("file");
        close(shim, "file", "half");
        write(other, file, "emptied by another process");
        victim.destroyForcibly().waitFor();
        mourn(other);
      }
      complete(session, 7);
      expectFailure(committed(session, 7), Errno.EIO, "file was left open by a process that ended");
      assertThat(begin(session, 8)).isEqualTo(DONE);
    }
    assertThat(numbers()).isEmpty();
  }

  @Test
  void checkpointWhoseFileIsMovedAwayIsGivenUp() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess shim = rank(serve, -1, 0);
        RawProcess session = rank(serve, 0, 1)) {
      begin(session, 7);
      close(shim, "file", "file");
      Files.move(capture.resolve("file"), root.resolve("elsewhere"));
      complete(session, 7);
      expectFailure(committed(session, 7), Errno.ENOENT, "file is not in the capture directory");
    }
  }

  @Test
  void wrongUseIsSaid() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess shim = rank(serve, -1, 0);
        RawProcess session = rank(serve, 0, 1)) {
      begin(session, 7);
      expectFailure(complete(session, 7), Errno.ENODATA, "checkpoint 7: it has nothing");
      assertThat(begin(session, 8)).isEqualTo(DONE);
      close(shim, "file", "file");
      expectFailure(begin(session, 9), Errno.EBUSY, "this process has checkpoint 8 open");
      assertThat(complete(session, 8)).isEqualTo(DONE);
      assertThat(committed(session, 8)).isEqualTo(DONE);
    }
  }

  /** The first of two that completes the part would end that of the other. */
  @Test
  void anotherLivingProcessOfTheRankIsRefused() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess shim = rank(serve, -1, 0);
        RawProcess session = rank(serve, 0, 1);
        RawProcess twice = session(serve, victim())) {
      begin(session, 7);
      close(shim, "file", "file");
      expectFailure(
          begin(twice, 7),
          Errno.EEXIST,
          "another process has rank 0 of checkpoint 7; each needs a rank of its own");
      assertThat(begin(session, 7)).isEqualTo(DONE);
      assertThat(complete(session, 7)).isEqualTo(DONE);
      assertThat(committed(session, 7)).isEqualTo(DONE);
      assertThat(committedPaths(7)).containsExactly("file");
      assertThat(begin(twice, 7)).isEqualTo(DONE);
    }
  }

  /** A program writes over its only file: what is committed stays as it was. */
  @Test
  void fileThatIsWrittenOverForTheNextCheckpointStaysAsItWas() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess shim = rank(serve, -1, 0);
        RawProcess session = rank(serve, 0, 1)) {
      for (int number = 1; number <= 2; number++) {
        begin(session, number);
        final Path fresh = capture.resolve("fresh");
        shim.end(write(shim, fresh, "of " + number).imageId());
        Files.move(fresh, capture.resolve("file"), StandardCopyOption.REPLACE_EXISTING);
        complete(session, number);
        assertThat(committed(session, number)).isEqualTo(DONE);
      }
      assertThat(restored(1, "file")).isEqualTo("of 1");
      assertThat(restored(2, "file")).isEqualTo("of 2");
    }
  }

  @Test
  void olderCheckpointsGoWithTheirNames() throws Exception {
    try (ServeProcess serve = serveGroups("--keep", "1");
        RawProcess shim = rank(serve, -1, 0);
        RawProcess session = rank(serve, 0, 1)) {
      for (int number = 1; number <= 2; number++) {
        begin(session, number);
        close(shim, "of-" + (char) ('a' + number), "text");
        complete(session, number);
        assertThat(committed(session, number)).isEqualTo(DONE);
      }
      await(() -> numbers().equals(List.of(2L)));
      await(() -> !Files.exists(capture.resolve("of-b")));
      assertThat(capture.resolve("of-c")).exists();
    }
  }
}
