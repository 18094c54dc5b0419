package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.chunk.ChunkDescriptor;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.core.segment.RingDescriptor;

/** What a mad process can spoil: its own images. */
class DamageTest extends SharedServeTest {
  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void randomRecordsFailTheirOwnersImageOnly(final String layout) throws Exception {
    final byte[] nonsense = new byte[10_000];
    new Random(2).nextBytes(nonsense);
    final String errors =
        errorsWhen(
            layout,
            (mad, spoiled) -> {
              mad.write(spoiled.imageId(), 0, nonsense);
              mad.memory().putBytes(ChunkDescriptor.HEADER_LENGTH, nonsense);
              mad.publish();
            });
    assertThat(errors).contains("spoiled").doesNotContain("good");
  }

  @Test
  void aChunkThatNamesAnotherSlotFailsItsOwnersImageOnly() throws Exception {
    final AtomicInteger owner = new AtomicInteger();
    final String errors =
        errorsWhen(
            "container",
            (mad, spoiled) -> {
              owner.set(mad.slot());
              mad.write(spoiled.imageId(), 0, bytes("spoiled"));
              mad.memory().putInt(ChunkDescriptor.SLOT_OFFSET, mad.slot() + 1);
              mad.publish();
            });
    assertThat(errors).contains("slot %d published it".formatted(owner.get()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void absurdOffsetFailsItsOwnersImageOnly(final String layout) throws Exception {
    final String errors =
        errorsWhen(
            layout,
            (mad, spoiled) -> {
              mad.write(spoiled.imageId(), Long.MAX_VALUE - 10, bytes("far"));
              mad.publish();
            });
    assertThat(errors).contains("spoiled", "is impossible", "offset 9223372036854775797");
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "container"})
  void recordOfAnotherProcessesImageFailsItsOwnersImagesOnly(final String layout) throws Exception {
    final ServeProcess serve = shared(layout);
    try (RawProcess mad = RawProcess.attach(serve.directory());
        RawProcess good = RawProcess.attach(serve.directory())) {
      final Reply.Opened spoiled = mad.create(capture.resolve("spoiled"));
      final Path file = capture.resolve("good");
      final Reply.Opened kept = good.create(file);
      good.write(kept.imageId(), 0, bytes("good"));
      good.publish();
      mad.write(kept.imageId(), 0, bytes("evil"));
      mad.publish();
      checkFailed(mad, spoiled);
      good.call(new Request.Settle(kept.imageId(), 0));
      assertThat(file).hasContent("good");
    }
  }

  @Test
  void nobodyChangesAnImageThatOnlyAnotherHasOpen() throws Exception {
    final ServeProcess serve = shared("files");
    try (RawProcess mad = RawProcess.attach(serve.directory());
        RawProcess good = RawProcess.attach(serve.directory())) {
      final Reply.Opened kept = good.create(capture.resolve("good"));
      final Request.Settle settle = new Request.Settle(kept.imageId(), Reason.READ.ordinal());
      assertThat(((Reply.Failed) mad.call(settle)).errno()).isEqualTo(Errno.EINVAL);
      assertThat(good.segment().imageTable().state(kept.entry()))
          .isEqualTo(ImageDescriptor.STATE_DIVERTED);
    }
  }

  @Test
  void randomRingFailsItsOwnersImagesOnly() throws Exception {
    final ServeProcess serve = shared("files");
    try (RawProcess mad = RawProcess.attach(serve.directory());
        RawProcess good = RawProcess.attach(serve.directory())) {
      final Reply.Opened spoiled = mad.create(capture.resolve("spoiled"));
      mad.tellRing(123_456, -1, 99);
      checkFailed(mad, spoiled);
      final UnsafeBuffer records = new UnsafeBuffer(mad.ring().buffer());
      final byte[] nonsense = new byte[RingDescriptor.CAPACITY];
      new Random(3).nextBytes(nonsense);
      records.putBytes(0, nonsense);
      mad.tell(new Request.Wake());
      checkWorks(good, capture.resolve("good"));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -32, 3, 32, Long.MAX_VALUE})
  void wrongPositionOfARingFailsItsOwnersImagesOnly(final long position) throws Exception {
    final String errors =
        errorsWhen(
            "files",
            (mad, spoiled) -> {
              final int head = RingDescriptor.CAPACITY + RingDescriptor.HEAD_POSITION_OFFSET;
              mad.ring().buffer().putLong(head, position);
              mad.tell(new Request.Wake());
            });
    assertThat(errors).contains("position=" + position).containsOnlyOnce(": the ring of");
  }

  @Test
  void aChunkThatAnotherHasPublishedIsNotTakenFromIt() throws Exception {
    final ServeProcess serve = shared("files");
    try (RawProcess mad = RawProcess.attach(serve.directory());
        RawProcess good = RawProcess.attach(serve.directory());
        RawProcess reader = RawProcess.attach(serve.directory())) {
      final Reply.Opened spoiled = mad.create(capture.resolve("spoiled"));
      final Path file = capture.resolve("good");
      good.write(good.create(file).imageId(), 0, bytes("good"));
      good.publishWithoutRecord();
      mad.tellRingOfChunkOf(good, 0);
      mad.tell(new Request.Wake());
      checkFailed(mad, spoiled);
      reader.open(file, 0);
      assertThat(file).hasContent("good");
    }
  }

  @Test
  void aRecordOfAChunkThatIsStillOpenFailsItsOwnersImageOnly() throws Exception {
    checkRecordIsRefused(mad -> mad.tellRingOfChunkOf(mad, 0));
  }

  @Test
  void aRecordOfAnotherUseOfAChunkFailsItsOwnersImageOnly() throws Exception {
    checkRecordIsRefused(
        mad -> {
          mad.publishWithoutRecord();
          mad.tellRingOfChunkOf(mad, 1);
        });
  }

  @Test
  void aChunkThatIsPublishedTwiceFailsItsOwnersImageOnly() throws Exception {
    checkRecordIsRefused(
        mad -> {
          mad.publishWithoutRecord();
          mad.tellRingOfChunkOf(mad, 0);
          mad.tellRingOfChunkOf(mad, 0);
        });
  }

  private void checkRecordIsRefused(final Consumer<RawProcess> telling) throws Exception {
    final String errors =
        errorsWhen(
            "files",
            (mad, spoiled) -> {
              mad.write(spoiled.imageId(), 0, bytes("written"));
              telling.accept(mad);
              mad.tell(new Request.Wake());
            });
    assertThat(errors).contains("record chunk=");
  }

  @Test
  void stateOfAPublishedChunkOverwrittenByItsOwnerTakesItFromNobodyElse() throws Exception {
    try (ServeProcess serve = serve("files", "--threshold", "1G");
        RawProcess mad = RawProcess.attach(serve.directory());
        RawProcess good = RawProcess.attach(serve.directory())) {
      mad.create(capture.resolve("spoiled"));
      final Path file = capture.resolve("good");
      final int id = good.create(file).imageId();
      for (int round = 0; round < 200; round++) {
        mad.write(0, 0, bytes("x"));
        mad.publishAndFree();
        good.write(id, 4L * round, bytes("good"));
        good.publish();
      }
      assertThat(good.call(new Request.Settle(id, 0))).isInstanceOf(Reply.Settled.class);
      assertThat(file).hasContent("good".repeat(200));
    }
  }

  @Test
  void whatWasPublishedAroundTheEndOfTheRingIsTakenBeforeARequest() throws Exception {
    final ServeProcess serve = shared("files");
    try (RawProcess process = RawProcess.attach(serve.directory())) {
      final Path file = capture.resolve("good");
      final int id = process.create(file).imageId();
      final int records = RingDescriptor.CAPACITY / RingDescriptor.RECORD_LENGTH;
      for (int i = 0; i < records - 1; i++) {
        process.end(-1);
      }
      process.endWithoutReply(-1); // the last of this round
      process.write(id, 0, bytes("good"));
      process.publishWithoutWaking();
      process.call(new Request.Settle(id, 0));
      assertThat(file).hasContent("good");
    }
  }

  @FunctionalInterface
  private interface Madness {
    void strike(RawProcess mad, Reply.Opened spoiled) throws Exception;
  }

  /** What the I/O process says of a madness that fails the mad process's image and no other. */
  private String errorsWhen(final String layout, final Madness madness) throws Exception {
    final ServeProcess serve = shared(layout);
    try (RawProcess mad = RawProcess.attach(serve.directory());
        RawProcess good = RawProcess.attach(serve.directory())) {
      final Reply.Opened spoiled = mad.create(capture.resolve("spoiled"));
      madness.strike(mad, spoiled);
      checkFailed(mad, spoiled);
      checkWorks(good, capture.resolve("good"));
      return serve.errors();
    }
  }

  private static void checkFailed(final RawProcess process, final Reply.Opened image)
      throws Exception {
    await(() -> process.segment().imageTable().error(image.entry()) == Errno.EIO);
    final Reply reply = process.call(new Request.Sync(image.imageId()));
    assertThat(((Reply.Failed) reply).errno()).isEqualTo(Errno.EIO);
  }

  private static void checkWorks(final RawProcess process, final Path file) throws Exception {
    final int id = process.create(file).imageId();
    process.write(id, 0, bytes("works"));
    process.publish();
    process.call(new Request.Settle(id, 0));
    assertThat(file).hasContent("works");
  }
}
