package org.sluice.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.StandInIoProcess;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.ProcessIdentity;

class CheckpointClientTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path directory;
  private StandInIoProcess ioProcess;
  private CheckpointClient client;

  @BeforeEach
  void connect() throws IOException {
    ioProcess = new StandInIoProcess(directory, Layout.CONTAINER, 4096, 8);
    client = CheckpointClient.connect(directory, 3, 5);
  }

  @AfterEach
  void disconnect() throws IOException {
    CloseHelper.closeAll(client, ioProcess);
  }

  @Test
  void attachesWithItsIdentityAndRank() {
    final ProcessIdentity self = ProcessIdentity.current();
    final long token = ((Request.Attach) ioProcess.requests.getFirst()).token();
    assertThat(ioProcess.requests)
        .containsExactly(
            new Request.Attach(
                HeaderDescriptor.VERSION, self.pid(), 3, 5, self.startTime(), token, 0, 0));
  }

  @Test
  void checkpointIsBegunWrittenAndCompletedAsThisRank() throws IOException {
    final Checkpoint checkpoint = client.begin(7);
    checkpoint.image("a").write(bytes("hello"));
    checkpoint.complete();

    assertThat(ioProcess.last(Request.Begin.class)).contains(new Request.Begin(7, 5, 0));
    assertThat(ioProcess.last(Request.Create.class)).contains(new Request.Create(7, 3, 5, "a"));
    assertThat(ioProcess.closes)
        .last()
        .satisfies(close -> assertThat(close.closed()).isGreaterThan(close.opened()));
    assertThat(ioProcess.last(Request.Complete.class)).contains(new Request.Complete(7, 3));
    assertThat(ioProcess.content("a", 1)).asString(UTF_8).isEqualTo("hello");
  }

  @Test
  void completeClosesTheImagesAndEndsTheCheckpoint() throws IOException {
    final Checkpoint checkpoint = client.begin(7);
    final ImageChannel image = checkpoint.image("a");
    checkpoint.complete();

    assertThat(image.isOpen()).isFalse();
    assertThatThrownBy(() -> image.write(bytes("late"))).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> checkpoint.image("b")).hasMessageContaining("7");
  }

  @Test
  void awaitDurableReturnsOnceCommitted() throws IOException {
    final Checkpoint checkpoint = client.begin(7);
    final int[] left = {3};
    ioProcess.script =
        request ->
            request instanceof Request.Await && left[0]-- > 0
                ? new Reply.Failed(Errno.ETIMEDOUT, "not yet")
                : null;

    assertThat(checkpoint.awaitDurable(LONG)).isTrue();
    assertThat(left[0]).isEqualTo(-1);
  }

  @Test
  void awaitDurableGivesUpWhenTheTimeIsOver() throws IOException {
    final Checkpoint checkpoint = client.begin(7);
    ioProcess.script =
        request ->
            request instanceof Request.Await ? new Reply.Failed(Errno.ETIMEDOUT, "not yet") : null;

    assertThat(checkpoint.awaitDurable(Duration.ZERO)).isFalse();
  }

  @Test
  void awaitDurableTellsWhyTheCheckpointCannotBeCommitted() throws IOException {
    final Checkpoint checkpoint = client.begin(7);
    ioProcess.script =
        request ->
            request instanceof Request.Await
                ? new Reply.Failed(Errno.ENOSPC, "checkpoint 7 is incomplete")
                : null;

    assertThatThrownBy(() -> checkpoint.awaitDurable(Duration.ofMinutes(1)))
        .hasMessageContaining("checkpoint 7 is incomplete")
        .hasMessageContaining("ENOSPC")
        .asInstanceOf(type(CheckpointException.class))
        .extracting(CheckpointException::errno)
        .isEqualTo(Errno.ENOSPC);
  }

  @Test
  void listsCommittedCheckpoints() throws IOException {
    ioProcess.script =
        request ->
            request instanceof Request.ListCheckpoints
                ? new Reply.Checkpoints(List.of(4L, 2L))
                : null;

    assertThat(client.checkpoints()).containsExactly(4L, 2L);
  }

  @Test
  void newestIsTheLastOfTheCommitted() throws IOException {
    final List<Long> committed = new ArrayList<>(List.of(9L, 4L));
    ioProcess.script =
        request ->
            request instanceof Request.ListCheckpoints ? new Reply.Checkpoints(committed) : null;

    assertThat(client.newest()).hasValue(4);
    committed.clear();
    assertThat(client.newest()).isEmpty();
  }

  @Test
  void fileIsAddedByItsWholePath() throws IOException {
    final Checkpoint checkpoint = client.begin(7);
    ioProcess.script = request -> request instanceof Request.Add ? new Reply.Text("") : null;
    final Path file = Files.writeString(directory.resolve("added"), "bytes").toRealPath();

    assertThat(checkpoint.add(directory.resolve(".").resolve("added"))).isFalse();
    assertThat(ioProcess.last(Request.Add.class)).contains(new Request.Add(7, 3, file.toString()));
    assertThat(checkpoint.add(file.resolveSibling("later"))).isFalse();
    assertThat(ioProcess.last(Request.Add.class))
        .contains(new Request.Add(7, 3, file.resolveSibling("later").toString()));
  }

  @Test
  void fileThatIsNotCapturedIsCopied() throws IOException {
    final Checkpoint checkpoint = client.begin(7);
    ioProcess.script = request -> request instanceof Request.Add ? new Reply.Text("copied") : null;

    assertThat(checkpoint.add(Files.writeString(directory.resolve("added"), "bytes"))).isTrue();
    assertThat(ioProcess.last(Request.Create.class))
        .contains(new Request.Create(7, 3, 0, "copied"));
    checkpoint.complete(); // behind which everything is taken
    assertThat(ioProcess.content("copied", 1)).asString(UTF_8).isEqualTo("bytes");
  }

  @Test
  void cancelClosesTheImagesAndGivesTheCheckpointUp() throws IOException {
    final Checkpoint checkpoint = client.begin(7);
    final ImageChannel image = checkpoint.image("a");
    checkpoint.cancel();

    assertThat(image.isOpen()).isFalse();
    assertThat(ioProcess.last(Request.Cancel.class)).contains(new Request.Cancel(7));
    assertThatThrownBy(() -> checkpoint.image("b")).hasMessageContaining("7");
  }

  @Test
  void restoreIsAskedForByTheWholePathOfItsDirectory() throws IOException {
    client.restore(CheckpointClient.NEWEST, Path.of("restored"));
    assertThat(ioProcess.last(Request.Restore.class))
        .contains(new Request.Restore(-1, Path.of("restored").toAbsolutePath().toString()));

    ioProcess.script =
        request ->
            request instanceof Request.Restore
                ? new Reply.Failed(Errno.EEXIST, "state exists")
                : null;
    assertThatThrownBy(() -> client.restore(7, directory))
        .hasMessageContaining("state exists")
        .asInstanceOf(type(CheckpointException.class))
        .extracting(CheckpointException::errno)
        .isEqualTo(Errno.EEXIST);
  }

  @Test
  void restartReadsACopyAndRemovesIt() throws IOException {
    final Path copy = Files.writeString(directory.resolve("copy"), "rebuilt");
    ioProcess.script =
        request ->
            request instanceof Request.Restart r && r.rank() == 3
                ? new Reply.Text(copy.toString())
                : null;

    try (SeekableByteChannel image = client.restart(CheckpointClient.NEWEST, "a")) {
      assertThat(copy).doesNotExist();
      final ByteBuffer read = ByteBuffer.allocate(100);
      image.read(read);
      assertThat(new String(read.array(), 0, read.position(), UTF_8)).isEqualTo("rebuilt");
      assertThatThrownBy(() -> image.write(bytes("x")))
          .isInstanceOf(NonWritableChannelException.class);
    }
  }

  @Test
  void imageWhoseFileCannotBeOpenedIsClosedAgain() throws IOException {
    final Checkpoint checkpoint = client.begin(7);
    ioProcess.script =
        request ->
            request instanceof Request.Create
                ? new Reply.Created(new Reply.Opened(2, 0, 9, 0, 0), "/nowhere/at/all")
                : null;

    assertThatThrownBy(() -> checkpoint.image("a")).hasMessageContaining("/nowhere/at/all");
    client.begin(8);
    assertThat(ioProcess.closes)
        .last()
        .satisfies(close -> assertThat(close.imageId()).isEqualTo(9));
  }

  @Test
  void closingTheClientClosesItsImages() throws IOException, InterruptedException {
    final ImageChannel image = client.begin(7).image("a");
    image.write(bytes("kept"));
    client.close();
    ioProcess.awaitEnd();

    assertThat(image.isOpen()).isFalse();
    assertThat(ioProcess.content("a", 1)).asString(UTF_8).isEqualTo("kept");
  }

  @Test
  void closingTheClientEndsTheWaitOfAnotherThread() throws Exception {
    final Checkpoint checkpoint = client.begin(7);
    final CountDownLatch waits = new CountDownLatch(1);
    ioProcess.script =
        request -> {
          if (request instanceof Request.Await) {
            waits.countDown();
            return new Reply.Failed(Errno.ETIMEDOUT, "not yet");
          }
          return null;
        };
    final Future<Boolean> waiter = inAnotherThread(() -> checkpoint.awaitDurable(LONG));
    waits.await();
    client.close();
    client.close();

    assertThatThrownBy(() -> waiter.get(1, TimeUnit.MINUTES)).hasMessageContaining("is closed");
    assertThatThrownBy(client::checkpoints).hasMessageContaining("is closed");
  }

  @Test
  void imageClosedByAnotherThreadIsNotWrittenToAnyMore() throws Exception {
    final ImageChannel image = client.begin(7).image("a");
    final CountDownLatch writes = new CountDownLatch(100);
    final Future<Boolean> writer =
        inAnotherThread(
            () -> {
              while (true) {
                image.position(0).write(bytes("again"));
                writes.countDown();
              }
            });
    writes.await();
    image.close();

    assertThatThrownBy(() -> writer.get(1, TimeUnit.MINUTES))
        .hasCauseInstanceOf(ClosedChannelException.class);
    client.close();
    ioProcess.awaitEnd();
    assertThat(ioProcess.content("a", 1)).asString(UTF_8).isEqualTo("again");
  }

  private static Future<Boolean> inAnotherThread(final Callable<Boolean> work) {
    final FutureTask<Boolean> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  @Test
  void ioProcessThatIsGoneIsReportedAsSuch() throws IOException {
    ioProcess.die();

    assertThatThrownBy(client::checkpoints)
        .hasMessageContaining("gone")
        .hasMessageContaining(directory.toString());
  }

  @Test
  void directoryWithoutAnIoProcessIsRefusedByName() {
    final Path nowhere = directory.resolve("nowhere");

    assertThatThrownBy(() -> CheckpointClient.connect(nowhere, 0, 1))
        .hasMessageContaining(nowhere.toString());
  }

  @Test
  void segmentWhoseIoProcessIsGoneIsRefusedByName() throws IOException {
    ioProcess.die();

    assertThatThrownBy(() -> CheckpointClient.connect(directory, 0, 1))
        .hasMessageContaining("no I/O process answers")
        .hasMessageContaining(directory.toString());
  }

  @Test
  void rankOutsideTheJobIsRefused() {
    assertThatThrownBy(() -> CheckpointClient.connect(directory, 5, 5))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static ByteBuffer bytes(final String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }
}
