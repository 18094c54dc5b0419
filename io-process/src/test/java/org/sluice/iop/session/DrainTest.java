package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;

class DrainTest extends SharedServeTest {
  private static final int READ = 0;

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void imageIsAPlainFileAfterAStop(final String layout) throws Exception {
    final Path file = capture.resolve("image");
    final byte[] model = new byte[3_000_000];
    try (ServeProcess serve = serve(layout)) {
      try (RawProcess process = RawProcess.attach(serve.directory())) {
        final int id = diverted(process.create(file));
        writeAtRandom(process, id, model);
        process.end(id);
      }
      assertThat(serve.stop()).isZero();
      assertThat(serve.errors()).isEqualTo(layout.equals("files") ? "" : staysPlain());
    }
    assertThat(file).hasBinaryContent(model);
  }

  private String staysPlain() {
    return ("sluice serve: checkpoint 1 is not committed, its files stay plain files in %s: nothing says"
            + " how many files it has; see --complete, --files-per-rank and --writers%n")
        .formatted(capture);
  }

  private static void writeAtRandom(final RawProcess process, final int id, final byte[] model)
      throws IOException {
    final Random random = new Random(42);
    for (int i = 0; i < 2000; i++) {
      final byte[] bytes = new byte[random.nextInt(5000)];
      random.nextBytes(bytes);
      final int offset = random.nextInt(model.length - bytes.length);
      System.arraycopy(bytes, 0, model, offset, bytes.length);
      process.writeInChunks(id, offset, bytes);
    }
    final byte[] end = {1};
    process.writeInChunks(id, model.length - 1, end);
    model[model.length - 1] = 1;
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void secondOpenerFindsEverythingOfAFrozenWriter(final String layout) throws Exception {
    final Path file = capture.resolve("image");
    final ServeProcess serve = shared(layout);
    try (RawProcess frozen = RawProcess.attach(serve.directory());
        RawProcess reader = RawProcess.attach(serve.directory())) {
      final Reply.Opened opened = frozen.create(file);
      frozen.write(opened.imageId(), 0, bytes("published "));
      frozen.publish();
      frozen.write(opened.imageId(), 10, bytes("open"));
      assertThat(reader.open(file, READ).disposition()).isEqualTo(RequestDescriptor.DIRECT);
      assertThat(file).hasContent("published open");
      assertThat(frozen.segment().imageTable().state(opened.entry()))
          .isEqualTo(ImageDescriptor.STATE_DIRECT);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void chunkPublishedWithoutARecordCounts(final String layout) throws Exception {
    final Path file = capture.resolve("image");
    final ServeProcess serve = shared(layout);
    try (RawProcess frozen = RawProcess.attach(serve.directory());
        RawProcess reader = RawProcess.attach(serve.directory())) {
      frozen.write(diverted(frozen.create(file)), 0, bytes("in between"));
      frozen.publishWithoutRecord();
      reader.open(file, READ);
      assertThat(file).hasContent("in between");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void bytesAppliedOnceAreNotAppliedOverLaterOnes(final String layout) throws Exception {
    final Path file = capture.resolve("image");
    final ServeProcess serve = shared(layout);
    try (RawProcess writer = RawProcess.attach(serve.directory());
        RawProcess other = RawProcess.attach(serve.directory())) {
      final int id = diverted(writer.create(file));
      writer.write(id, 0, bytes("aaaaa"));
      other.open(file, RequestDescriptor.OPEN_WRITE);
      Files.writeString(file, "bbbbb");
      writer.write(id, 5, bytes("ccc"));
      writer.write(id, 20, bytes("d"));
      writer.publish();
      writer.call(new Request.Settle(id, Reason.READ.ordinal()));
      assertThat(Files.readString(file)).isEqualTo("bbbbbccc" + "\0".repeat(12) + "d");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void imageIsDivertedAgainOnceAllHaveClosedIt(final String layout) throws Exception {
    final Path file = capture.resolve("image");
    final ServeProcess serve = shared(layout);
    try (RawProcess one = RawProcess.attach(serve.directory());
        RawProcess two = RawProcess.attach(serve.directory())) {
      final int id = diverted(one.create(file));
      one.write(id, 0, bytes("one"));
      assertThat(two.open(file, RequestDescriptor.OPEN_WRITE).disposition())
          .isEqualTo(RequestDescriptor.DIRECT);
      two.end(id);
      assertThat(one.open(file, RequestDescriptor.OPEN_WRITE).disposition())
          .isEqualTo(RequestDescriptor.DIRECT);
      one.end(id);
      one.end(id);
      final Reply.Opened again = two.open(file, RequestDescriptor.OPEN_WRITE);
      if (layout.equals("container")) {
        assertThat(again.disposition()).isEqualTo(RequestDescriptor.DIVERT);
        assertThat(again.size()).isEqualTo(3);
        two.write(id, 3, bytes("two"));
        two.publish();
        two.call(new Request.Settle(id, 0));
        assertThat(file).hasContent("onetwo");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void settledImageStaysDiverted(final String layout) throws Exception {
    final Path file = capture.resolve("image");
    final ServeProcess serve = shared(layout);
    try (RawProcess process = RawProcess.attach(serve.directory())) {
      final Reply.Opened opened = process.create(file);
      for (final String text : new String[] {"first", "again", "third"}) {
        process.write(opened.imageId(), 0, bytes(text));
        process.publish();
        final Reply settled = process.call(new Request.Settle(opened.imageId(), 0));
        assertThat(((Reply.Settled) settled).size()).isEqualTo(5);
        assertThat(file).hasContent(text);
      }
      assertThat(process.segment().imageTable().state(opened.entry()))
          .isEqualTo(ImageDescriptor.STATE_DIVERTED);
      assertThat(process.call(new Request.Sync(opened.imageId()))).isEqualTo(new Reply.Done());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void emptiedImageForgetsWhatWasLogged(final String layout) throws Exception {
    final Path file = capture.resolve("image");
    final ServeProcess serve = shared(layout);
    try (RawProcess process = RawProcess.attach(serve.directory())) {
      final int id = diverted(process.create(file));
      process.write(id, 0, bytes("a long first version"));
      process.end(id);
      final Reply.Opened again = process.create(file);
      assertThat(again.size()).isZero();
      if (again.imageId() != id) {
        Files.write(file, new byte[0]); // drained and forgotten, maybe only since it was emptied
      }
      process.write(again.imageId(), 0, bytes("second"));
      process.publish();
      process.call(new Request.Settle(again.imageId(), 0));
      assertThat(file).hasContent("second");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void existingAndMissingFilesStayPlain(final String layout) throws Exception {
    final Path file = Files.writeString(capture.resolve("old"), "old");
    final ServeProcess serve = shared(layout);
    try (RawProcess process = RawProcess.attach(serve.directory())) {
      assertThat(process.open(file, RequestDescriptor.OPEN_WRITE).disposition())
          .isEqualTo(RequestDescriptor.PLAIN);
      final Path outside = Files.createFile(root.resolve("outside"));
      assertThat(process.create(outside).disposition()).isEqualTo(RequestDescriptor.PLAIN);
      final Reply missing =
          process.call(
              new Request.Open(1, 2, RequestDescriptor.OPEN_CREATED, capture + "/missing"));
      assertThat(((Reply.Opened) missing).disposition()).isEqualTo(RequestDescriptor.PLAIN);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void openChunkOfADeadWriterIsAdopted(final String layout) throws Exception {
    final Path file = capture.resolve("image");
    final Process victim = victim();
    try (ServeProcess serve = serve(layout)) {
      final RawProcess dying = RawProcess.attach(serve.directory(), identity(victim), 0, 1);
      dying.write(diverted(dying.create(file)), 0, bytes("last words"));
      victim.destroyForcibly().waitFor();
      dying.close();
      assertThat(serve.stop()).isZero();
    }
    assertThat(file).hasContent("last words");
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void writerWithoutASocketThatStillRunsKeepsItsSlot(final String layout) throws Exception {
    final Process victim = victim();
    try (ServeProcess serve = serve(layout)) {
      final RawProcess rude = RawProcess.attach(serve.directory(), identity(victim), 0, 1);
      rude.write(diverted(rude.create(capture.resolve("image"))), 0, bytes("still here"));
      final int slot = rude.slot();
      rude.close();
      try (RawProcess next = RawProcess.attach(serve.directory())) {
        assertThat(next.slot()).isNotEqualTo(slot);
        victim.destroyForcibly().waitFor();
        await(() -> !next.segment().slot(slot).isAttached());
      }
    } finally {
      victim.destroyForcibly();
    }
  }

  private static int diverted(final Reply.Opened opened) {
    assertThat(opened.disposition()).isEqualTo(RequestDescriptor.DIVERT);
    return opened.imageId();
  }
}
