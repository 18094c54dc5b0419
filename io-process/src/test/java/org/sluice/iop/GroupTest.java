package org.sluice.iop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.store.Commit;
import org.sluice.core.store.CommittedImage;
import org.sluice.core.store.PosixStore;

class GroupTest extends ServeTest {
  private static final String GROUP = "step-([0-9]+)";

  private ServeProcess serveGroups(final String... more) throws IOException {
    final String[] all = new String[more.length + 2];
    all[0] = "--group";
    all[1] = GROUP;
    System.arraycopy(more, 0, all, 2, more.length);
    return serve("container", all);
  }

  private static RawProcess rank(final ServeProcess serve, final int rank, final int ranks)
      throws IOException {
    return RawProcess.attach(serve.directory(), ProcessIdentity.current(), rank, ranks);
  }

  private static Reply.Opened write(final RawProcess process, final Path file, final String text)
      throws IOException {
    final Reply.Opened opened = process.create(file);
    process.write(opened.imageId(), 0, bytes(text));
    return opened;
  }

  private static Reply committed(final RawProcess process, final long number) throws IOException {
    return process.call(new Request.Await(number, 60_000));
  }

  private String restored(final long number, final String path) throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      final Path copy = Files.createTempFile(root, "restored", "");
      Commit commit;
      do { // again if another one takes its place before it is held
        commit = opened.find(number).orElseThrow();
      } while (!restore(opened, commit, path, copy));
      return Files.readString(copy);
    }
  }

  private static boolean restore(
      final PosixStore opened, final Commit commit, final String path, final Path copy)
      throws IOException {
    return opened.whileHeld(
        commit,
        () -> {
          final CommittedImage image =
              opened.images(commit).stream()
                  .filter(candidate -> candidate.path().equals(path))
                  .findFirst()
                  .orElseThrow();
          try (NativeFile target = NativeFile.open(copy, NativeFile.Flag.WRITE)) {
            opened.rebuild(commit, image, target);
          }
        });
  }

  private List<Long> numbers() throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      return opened.commits().stream().map(Commit::number).toList();
    }
  }

  @Test
  void checkpointIsCommittedWhenAllRanksHaveClosedTheirImages() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      final int first = write(zero, capture.resolve("step-7.0"), "zero").imageId();
      zero.end(first);
      assertThat(zero.call(new Request.Await(7, 100))).isInstanceOf(Reply.Failed.class);
      final int second = write(one, capture.resolve("step-7.1"), "one").imageId();
      one.end(second);
      assertThat(committed(zero, 7)).isEqualTo(new Reply.Done());
      assertThat(restored(7, "step-7.0")).isEqualTo("zero");
      assertThat(restored(7, "step-7.1")).isEqualTo("one");
    }
  }

  @Test
  void imageJoinsItsGroupWhenItGetsItsFinalName() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      final Path temporary = capture.resolve("temporary");
      process.end(write(process, temporary, "bytes").imageId());
      final Path name = Files.move(temporary, capture.resolve("step-3"));
      try (NativeFile file = NativeFile.open(name)) {
        process.tell(new Request.Renamed(file.device(), file.inode()));
      }
      assertThat(committed(process, 3)).isEqualTo(new Reply.Done());
      assertThat(restored(3, "step-3")).isEqualTo("bytes");
    }
  }

  @Test
  void checkpointWithADeadWriterIsNotCommitted() throws Exception {
    final Process victim = victim();
    try (ServeProcess serve = serveGroups()) {
      try (RawProcess dying = RawProcess.attach(serve.directory(), identity(victim), 0, 1)) {
        write(dying, capture.resolve("step-1"), "half");
        victim.destroyForcibly().waitFor();
      }
      assertThat(serve.stop()).isZero();
    }
    assertThat(numbers()).isEmpty();
    assertThat(capture.resolve("step-1")).hasContent("half");
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
        for (int step = 2; step <= 4; step++) {
          writeStep(step, "later", process);
          assertThat(committed(process, step)).isEqualTo(new Reply.Done());
        }
        await(() -> !numbers().contains(3L));
        assertThat(kept).exists();
      }
      assertThat(serve.stop()).isZero();
    }
    assertThat(numbers()).containsExactly(1L, 4L);
    assertThat(restored(1, "step-1.0")).isEqualTo("first");
  }

  private static void renamed(final RawProcess process, final Path now) throws IOException {
    try (NativeFile file = NativeFile.open(now)) {
      process.tell(new Request.Renamed(file.device(), file.inode()));
    }
  }

  @Test
  void fewerWritersThanRanksCommitIfToldSo() throws Exception {
    try (ServeProcess serve = serveGroups("--writers", "1");
        RawProcess process = rank(serve, 5, 8)) {
      process.end(write(process, capture.resolve("step-4"), "alone").imageId());
      assertThat(committed(process, 4)).isEqualTo(new Reply.Done());
    }
  }

  @Test
  void rewrittenImageIsCommittedAgain() throws Exception {
    final Path file = capture.resolve("step-2");
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      final Reply.Opened opened = write(process, file, "old old old");
      process.end(opened.imageId());
      committed(process, 2);
      assertThat(process.segment().imageTable().state(opened.entry()))
          .isEqualTo(ImageDescriptor.STATE_COMMITTED);
      replace(process, file, RequestDescriptor.REPLACE_TRUNCATE);
      assertThat(file).isEmptyFile();
      process.end(write(process, file, "new").imageId());
      await(() -> restored(2, "step-2").equals("new"));
    }
  }

  @Test
  void checkpointNeverMixesTwoRoundsOfWriting() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      writeStep(2, "old", zero, one);
      committed(zero, 2);

      replace(zero, capture.resolve("step-2.0"), RequestDescriptor.REPLACE_TRUNCATE);
      zero.end(write(zero, capture.resolve("step-2.0"), "new").imageId());
      writeStep(3, "later", zero, one);
      committed(zero, 3);
      assertThat(restored(2, "step-2.0")).isEqualTo("old");

      Files.delete(capture.resolve("step-2.1"));
      one.end(write(one, capture.resolve("step-2.1"), "new").imageId());
      await(() -> restored(2, "step-2.0").equals("new"));
      assertThat(restored(2, "step-2.1")).isEqualTo("new");
    }
  }

  private void writeStep(final int step, final String text, final RawProcess... ranks)
      throws IOException {
    for (int rank = 0; rank < ranks.length; rank++) {
      final Path file = capture.resolve("step-%d.%d".formatted(step, rank));
      ranks[rank].end(write(ranks[rank], file, text).imageId());
    }
  }

  @Test
  void appendingToACommittedImageCommitsTheWholeAgain() throws Exception {
    final Path file = capture.resolve("step-2");
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      process.end(write(process, file, "old").imageId());
      committed(process, 2);
      replace(process, file, 0);
      assertThat(file).hasContent("old");
      final Reply.Opened again = process.open(file, RequestDescriptor.OPEN_WRITE);
      assertThat(again.disposition()).isEqualTo(RequestDescriptor.DIVERT);
      assertThat(again.size()).isEqualTo(3);
      process.write(again.imageId(), 3, bytes(" and new"));
      process.end(again.imageId());
      await(() -> restored(2, "step-2").equals("old and new"));
    }
  }

  @Test
  void openingACommittedImageGivesItsNameAWholeFile() throws Exception {
    final Path file = capture.resolve("step-2");
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      process.end(write(process, file, "whole").imageId());
      committed(process, 2);
      try (NativeFile opened = NativeFile.open(file)) {
        final Reply reply =
            process.call(new Request.Open(opened.device(), opened.inode(), 0, file.toString()));
        assertThat(((Reply.Failed) reply).errno()).isEqualTo(116);
      }
      assertThat(file).hasContent("whole");
      assertThat(process.open(file, 0).disposition()).isEqualTo(RequestDescriptor.DIRECT);
      assertThat(restored(2, "step-2")).isEqualTo("whole");
    }
  }

  @Test
  void checkpointIsCommittedWhenEachRankHasAllItsFiles() throws Exception {
    try (ServeProcess serve = serveGroups("--files-per-rank", "2");
        RawProcess zero = rank(serve, 0, 2);
        RawProcess one = rank(serve, 1, 2)) {
      writeStep(1, "first", zero, one);
      zero.end(write(zero, capture.resolve("step-1.0.more"), "second").imageId());
      assertThat(zero.call(new Request.Await(1, 100))).isInstanceOf(Reply.Failed.class);
      one.end(write(one, capture.resolve("step-1.1.more"), "second").imageId());
      assertThat(committed(zero, 1)).isEqualTo(new Reply.Done());
      assertThat(restored(1, "step-1.0.more")).isEqualTo("second");
    }
  }

  @Test
  void whatKilledRanksLeftIsNotCommittedWithWhatTheirSuccessorsWrite() throws Exception {
    try (ServeProcess serve = serveGroups()) {
      killed(serve, 0, zero -> zero.end(write(zero, capture.resolve("step-1.0"), "old").imageId()));
      killed(serve, 1, one -> {});
      try (RawProcess zero = rank(serve, 0, 2);
          RawProcess one = rank(serve, 1, 2)) {
        one.end(write(one, capture.resolve("step-1.1"), "new").imageId());
        expectOnlyALaterStep(zero, one);
        Files.delete(capture.resolve("step-1.0"));
        zero.end(write(zero, capture.resolve("step-1.0"), "new").imageId());
        assertThat(committed(zero, 1)).isEqualTo(new Reply.Done());
        assertThat(restored(1, "step-1.0")).isEqualTo("new");
      }
    }
  }

  @Test
  void whatKilledRanksLeftIsNotCommittedAtTheEndEither() throws Exception {
    try (ServeProcess serve = serveGroups()) {
      killed(serve, 0, zero -> zero.end(write(zero, capture.resolve("step-1.0"), "old").imageId()));
      killed(serve, 1, one -> {});
      try (RawProcess one = rank(serve, 1, 2)) {
        one.end(write(one, capture.resolve("step-1.1"), "new").imageId());
      }
      assertThat(serve.stop()).isZero();
    }
    assertThat(numbers()).isEmpty();
    assertThat(capture.resolve("step-1.0")).hasContent("old");
  }

  @Test
  void rankThatIsKilledAfterOthersCameBackIsOfTheEarlierTimeToo() throws Exception {
    final Process victim = victim();
    try (ServeProcess serve = serveGroups()) {
      final RawProcess late = RawProcess.attach(serve.directory(), identity(victim), 0, 2);
      late.end(write(late, capture.resolve("step-1.0"), "old").imageId());
      killed(serve, 1, one -> {});
      try (RawProcess one = rank(serve, 1, 2)) {
        victim.destroyForcibly().waitFor();
        late.close();
        try (RawProcess zero = rank(serve, 0, 2)) {
          one.end(write(one, capture.resolve("step-1.1"), "new").imageId());
          expectOnlyALaterStep(zero, one);
        }
      }
    }
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
        writeStep(3, "new", zero, one);
        committed(zero, 3);
        assertThat(numbers()).containsExactly(3L);
        Files.delete(capture.resolve("step-1.old"));
        assertThat(committed(zero, 1)).isEqualTo(new Reply.Done());
        final Path moved = Files.move(capture.resolve("step-2.old"), capture.resolve("old"));
        try (NativeFile file = NativeFile.open(moved)) {
          zero.tell(new Request.Renamed(file.device(), file.inode()));
        }
        assertThat(committed(zero, 2)).isEqualTo(new Reply.Done());
      }
    }
  }

  @Test
  void rankThatWasNotSeenBeforeOthersWereKilledIsOfALaterTime() throws Exception {
    try (ServeProcess serve = serveGroups()) {
      killed(serve, 0, zero -> zero.end(write(zero, capture.resolve("step-1.0"), "old").imageId()));
      try (RawProcess one = rank(serve, 1, 2);
          RawProcess zero = rank(serve, 0, 2)) {
        one.end(write(one, capture.resolve("step-1.1"), "new").imageId());
        expectOnlyALaterStep(zero, one);
      }
    }
  }

  @Test
  void rankThatIsKilledAfterItWroteHoldsNobodyUp() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess one = rank(serve, 1, 2)) {
      killed(
          serve, 0, zero -> zero.end(write(zero, capture.resolve("step-1.0"), "zero").imageId()));
      one.end(write(one, capture.resolve("step-1.1"), "one").imageId());
      assertThat(committed(one, 1)).isEqualTo(new Reply.Done());
    }
  }

  @Test
  void successorThatIsKilledInItsTurnHoldsNobodyUpEither() throws Exception {
    try (ServeProcess serve = serveGroups()) {
      killed(serve, 0, zero -> {});
      killed(serve, 1, one -> {});
      try (RawProcess one = rank(serve, 1, 2)) {
        killed(serve, 0, zero -> zero.end(write(zero, capture.resolve("step-1.0"), "0").imageId()));
        one.end(write(one, capture.resolve("step-1.1"), "one").imageId());
        assertThat(committed(one, 1)).isEqualTo(new Reply.Done());
      }
    }
  }

  @Test
  void processesOfARankThatEndByThemselvesFollowEachOther() throws Exception {
    try (ServeProcess serve = serveGroups("--files-per-rank", "2")) {
      killed(serve, 0, earlier -> {});
      for (final String name : List.of("step-1.a", "step-1.b")) {
        try (RawProcess process = rank(serve, 0, 1)) {
          process.end(write(process, capture.resolve(name), name).imageId());
          process.leave();
        }
      }
      try (RawProcess other = rank(serve, 0, 1)) {
        assertThat(committed(other, 1)).isEqualTo(new Reply.Done());
      }
    }
  }

  /** What could be committed before it is, too, when a later one is. */
  private void expectOnlyALaterStep(final RawProcess zero, final RawProcess one) throws Exception {
    writeStep(2, "later", zero, one);
    committed(zero, 2);
    assertThat(numbers()).containsExactly(2L);
  }

  /** What a rank does before it is killed. */
  @FunctionalInterface
  private interface Deed {
    void by(RawProcess process) throws IOException;
  }

  private void killed(final ServeProcess serve, final int rank, final Deed deed) throws Exception {
    final Process victim = victim();
    try (RawProcess process = RawProcess.attach(serve.directory(), identity(victim), rank, 2)) {
      deed.by(process);
      victim.destroyForcibly().waitFor();
    }
  }

  private static void replace(final RawProcess process, final Path file, final int flags)
      throws IOException {
    try (NativeFile opened = NativeFile.open(file)) {
      final Request.Replace request =
          new Request.Replace(opened.device(), opened.inode(), flags, file.toString());
      assertThat(process.call(request)).isEqualTo(new Reply.Done());
    }
  }
}
