package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.PosixStore;

/** What is committed of a job that has ranks on other nodes. */
class NodePartTest extends GroupServeTest {
  private static final int UNKNOWN = -1;

  private static RawProcess rank(
      final ServeProcess serve, final int rank, final int ranks, final int localRanks)
      throws IOException {
    return RawProcess.attach(serve.directory(), ProcessIdentity.current(), rank, ranks, localRanks);
  }

  private Commit commit(final long number) throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      return opened.find(number).orElseThrow();
    }
  }

  private void assertPart(final long number, final int ranks, final Integer... part)
      throws IOException {
    final Commit commit = commit(number);
    assertThat(commit.coverage().ranks()).isEqualTo(ranks);
    assertThat(commit.coverage().part().list()).containsExactly(part);
  }

  private void write(final RawProcess process, final int step, final int rank) throws IOException {
    process.end(write(process, capture.resolve("step-%d.%d".formatted(step, rank)), "x").imageId());
  }

  @Test
  void groupIsCommittedOnceAllRanksOfTheNodeHaveClosedTheirImages() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess four = rank(serve, 4, 8, 2)) {
      write(four, 7, 4); // while no other has attached
      assertThat(four.call(new Request.Await(7, 100))).isInstanceOf(Reply.Failed.class);
      try (RawProcess six = rank(serve, 6, 8, 2)) {
        write(six, 7, 6);
        assertThat(committed(six, 7)).isEqualTo(new Reply.Done());
      }
      assertPart(7, 8, 4, 6);
    }
  }

  @Test
  void groupOfAJobThatIsOnThisNodeAloneIsNoPart() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1, 1)) {
      write(process, 7, 0);
      committed(process, 7);
      assertPart(7, 1);
    }
  }

  @Test
  void groupNeedsToBeToldHowManyRanksAreOnTheNode() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 4, 8, UNKNOWN)) {
      write(process, 7, 4);
      await(() -> serve.errors().contains("say it with --writers N"));
      assertThat(process.call(new Request.Await(7, 100))).isInstanceOf(Reply.Failed.class);
    }
  }

  @Test
  void groupIsAPartAlsoWhenItWasToldHowManyWrite() throws Exception {
    try (ServeProcess serve = serveGroups("--writers", "1");
        RawProcess process = rank(serve, 4, 8, UNKNOWN)) {
      write(process, 7, 4);
      assertThat(committed(process, 7)).isEqualTo(new Reply.Done());
      assertPart(7, 8, 4);
    }
  }

  @Test
  void checkpointByRequestIsCommittedOnceAllRanksOfTheNodeHaveCompletedIt() throws Exception {
    try (ServeProcess serve = serve("files");
        RawProcess four = rank(serve, 4, 8, 2);
        RawProcess six = rank(serve, 6, 8, 2)) {
      for (final RawProcess process : List.of(four, six)) {
        assertThat(process.call(new Request.Begin(3, 8, 0))).isEqualTo(new Reply.Done());
      }
      four.call(new Request.Complete(3, 4));
      assertThat(four.call(new Request.Await(3, 100))).isInstanceOf(Reply.Failed.class);
      six.call(new Request.Complete(3, 6));
      assertThat(committed(four, 3)).isEqualTo(new Reply.Done());
      assertPart(3, 8, 4, 6);
    }
  }

  @Test
  void checkpointByRequestNeedsToBeToldHowManyRanksAreOnTheNode() throws Exception {
    try (ServeProcess serve = serve("files");
        RawProcess process = rank(serve, 4, 8, UNKNOWN)) {
      assertThat(process.call(new Request.Begin(3, 8, 0)))
          .hasToString(
              "Failed[errno=22, message=checkpoint 3: the job has 8 ranks on several nodes, and the"
                  + " launcher does not say how many on this one; say it with --writers N]");
    }
  }

  @Test
  void checkpointByRequestIsAPartAlsoWhenItWasToldHowManyComplete() throws Exception {
    try (ServeProcess serve = serve("files", "--writers", "1");
        RawProcess process = rank(serve, 4, 8, UNKNOWN)) {
      process.call(new Request.Begin(3, 8, 0));
      process.call(new Request.Complete(3, 4));
      assertThat(committed(process, 3)).isEqualTo(new Reply.Done());
      assertPart(3, 8, 4);
    }
  }
}
