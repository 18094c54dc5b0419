package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.Test;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ProcessIdentity;

class AttachTest extends SharedServeTest {
  private static final int OTHER_VERSION = HeaderDescriptor.VERSION + 1;

  @Test
  void clientOfAnotherVersionIsToldBothVersions() throws Exception {
    final ServeProcess serve = shared("files");
    try (RawProcess client = RawProcess.connect(serve.directory())) {
      final Reply reply = client.call(new Request.Attach(OTHER_VERSION, 1, 0, 1, 0, 0, 0, 0));
      assertThat(reply).isInstanceOf(Reply.Failed.class);
      assertThat(((Reply.Failed) reply).errno()).isEqualTo(Errno.EPROTONOSUPPORT);
      assertThat(((Reply.Failed) reply).message())
          .contains("version " + OTHER_VERSION, "version " + HeaderDescriptor.VERSION);
    }
  }

  @Test
  void processThatDoesNotExistGetsNoSlot() throws Exception {
    final ProcessIdentity self = ProcessIdentity.current();
    final ServeProcess serve = shared("files");
    try (RawProcess client = RawProcess.connect(serve.directory())) {
      final Reply reply =
          client.call(
              new Request.Attach(
                  HeaderDescriptor.VERSION, self.pid(), 0, 1, self.startTime() + 1, 0, 0, 0));
      assertThat(((Reply.Failed) reply).errno()).isEqualTo(Errno.EINVAL);
    }
  }

  @Test
  void requestBeforeAttachIsRefused() throws Exception {
    final ServeProcess serve = shared("files");
    try (RawProcess client = RawProcess.connect(serve.directory())) {
      final Reply reply = client.call(new Request.Sync(1));
      assertThat(((Reply.Failed) reply).message()).contains("ATTACH");
    }
  }

  @Test
  void nonsenseOnOneSocketEndsThatSocketOnly() throws Exception {
    final ServeProcess serve = shared("files");
    try (RawProcess good = RawProcess.attach(serve.directory());
        RawProcess mad = RawProcess.attach(serve.directory())) {
      final byte[] nonsense = new byte[1000];
      new Random(1).nextBytes(nonsense);
      mad.send(ByteBuffer.wrap(nonsense));
      assertThatThrownBy(
              () -> {
                while (true) {
                  mad.call(new Request.Stats());
                }
              })
          .isInstanceOf(IOException.class);
      assertThat(good.call(new Request.Stats())).isInstanceOf(Reply.Text.class);
    }
  }

  @Test
  void clientThatAsksWithoutReadingTheRepliesIsCutOff() throws Exception {
    final ServeProcess serve = shared("files");
    try (RawProcess good = RawProcess.attach(serve.directory());
        RawProcess mad = RawProcess.attach(serve.directory())) {
      assertThatThrownBy(
              () -> {
                while (true) {
                  mad.tell(new Request.Stats());
                }
              })
          .isInstanceOf(IOException.class);
      assertThat(good.call(new Request.Stats())).isInstanceOf(Reply.Text.class);
    }
  }

  @Test
  void clientsThatSayNothingMakeRoomForOthers() throws Exception {
    final List<RawProcess> silent = new ArrayList<>();
    final ServeProcess serve = shared("files");
    try (RawProcess good = RawProcess.attach(serve.directory())) {
      final byte[] halfARequest = new byte[60_000];
      halfARequest[2] = 1; // of 64 KiB
      for (int i = 0; i < 2000; i++) {
        final RawProcess one = RawProcess.connect(serve.directory());
        silent.add(one);
        sendWhatItTakes(one, halfARequest);
      }
      try (RawProcess late = RawProcess.attach(serve.directory())) {
        assertThat(late.call(new Request.Stats())).isInstanceOf(Reply.Text.class);
      }
      assertThat(good.call(new Request.Stats())).isInstanceOf(Reply.Text.class);
      assertThat(serve.errors()).isEmpty();
    } finally {
      CloseHelper.closeAll(silent);
    }
  }

  private static void sendWhatItTakes(final RawProcess client, final byte[] bytes) {
    try {
      client.send(ByteBuffer.wrap(bytes));
    } catch (final IOException cutOff) {
      // As it should be, when others came meanwhile.
    }
  }
}
