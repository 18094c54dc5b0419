package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;

/** Ranks of a group that are killed, and come back. */
class GroupKillTest extends GroupServeTest {
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
  void whatKilledRanksLeftIsNotCommittedWithWhatTheirSuccessorsWrite() throws Exception {
    try (ServeProcess serve = serveGroups()) {
      killed(serve, 0, zero -> zero.end(write(zero, capture.resolve("step-1.0"), "old").imageId()));
      killed(serve, 1, GroupKillTest::ask);
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
      killed(serve, 1, GroupKillTest::ask);
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
      killed(serve, 1, GroupKillTest::ask);
      try (RawProcess one = rank(serve, 1, 2)) {
        victim.destroyForcibly().waitFor();
        mourn(late);
        late.close();
        try (RawProcess zero = rank(serve, 0, 2)) {
          one.end(write(one, capture.resolve("step-1.1"), "new").imageId());
          expectOnlyALaterStep(zero, one);
        }
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
      killed(serve, 1, GroupKillTest::ask);
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

  /** A process that has asked for nothing counts for nothing. */
  private static void ask(final RawProcess process) throws IOException {
    process.call(new Request.Await(1, 1));
  }

  /** What could be committed before it is, too, when a later one is. */
  private void expectOnlyALaterStep(final RawProcess zero, final RawProcess one) throws Exception {
    writeStep(2, "later", zero, one);
    committed(zero, 2);
    assertThat(numbers()).containsExactly(2L);
  }
}
