package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.store.node.PosixStore;

/** Checkpoints with a file that is no image: they are not committed before it is one, or gone. */
class UncapturedFilesTest extends GroupServeTest {
  private static final String REASON = "it lacks step-1.log: it was there before";

  private Path log;

  /** The program appends to a file that was there before. */
  private void append(final RawProcess process, final String name) throws IOException {
    log = capture.resolve(name);
    Files.writeString(log, "before");
    assertThat(process.open(log, RequestDescriptor.OPEN_WRITE).disposition())
        .isEqualTo(RequestDescriptor.PLAIN);
  }

  private void expectRefused(final RawProcess process) throws IOException {
    final Reply reply = process.call(new Request.Await(1, 60_000));
    assertThat(((Reply.Failed) reply).message()).contains(REASON);
    assertThat(numbers()).isEmpty();
  }

  private void write(final RawProcess process, final String name) throws IOException {
    process.end(write(process, capture.resolve(name), name).imageId());
  }

  @Test
  void checkpointIsCommittedWhenWhatItLacksIsDeleted() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      append(process, "step-1.log");
      writeStep(1, "first", process);
      expectRefused(process);
      Files.delete(log);
      write(process, "step-1.more");
      assertThat(committed(process, 1)).isEqualTo(new Reply.Done());
      assertThat(serve.stop()).isZero();
    }
  }

  @Test
  void checkpointIsCommittedWhenWhatItLacksIsWrittenAnew() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      append(process, "step-1.log");
      writeStep(1, "first", process);
      expectRefused(process);
      final int emptied = RequestDescriptor.OPEN_CREATED | RequestDescriptor.OPEN_WRITE;
      Files.writeString(log, "");
      final Reply.Opened anew = process.open(log, emptied);
      process.write(anew.imageId(), 0, bytes("anew"));
      process.end(anew.imageId());
      assertThat(committed(process, 1)).isEqualTo(new Reply.Done());
      assertThat(restored(1, "step-1.log")).isEqualTo("anew");
    }
  }

  @Test
  void aLackIsKnownOverAKillOfTheIoProcess() throws Exception {
    try (ServeProcess killed = serveGroups();
        RawProcess process = rank(killed, 0, 1)) {
      append(process, "step-1.log");
      killed.kill();
    }
    try (ServeProcess resumed = serveGroups("--resume")) {
      try (RawProcess process = rank(resumed, 0, 1)) {
        writeStep(1, "first", process);
        expectRefused(process);
      }
      assertThat(resumed.stop()).isEqualTo(1);
    }
    assertThat(numbers()).isEmpty();
    assertThat(capture.resolve("step-1.0")).hasContent("first");
  }

  @Test
  void aFileIsLackedWhereItIsByNow() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      append(process, "step-2.log");
      log = Files.move(log, capture.resolve("step-1.log"));
      writeStep(1, "first", process);
      expectRefused(process);
      Files.move(log, capture.resolve("elsewhere"));
      write(process, "step-1.more");
      assertThat(committed(process, 1)).isEqualTo(new Reply.Done());
    }
  }

  @Test
  void aCommittedCheckpointThatLacksAFileFromHereOnIsNotTheNewest() throws Exception {
    try (ServeProcess serve = serveGroups();
        RawProcess process = rank(serve, 0, 1)) {
      writeStep(3, "third", process);
      committed(process, 3);
      writeStep(1, "first", process);
      committed(process, 1);
      append(process, "step-1.log");
      await(() -> newest() == 3);
    }
  }

  private long newest() throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      return opened.newest().orElseThrow().number();
    }
  }
}
