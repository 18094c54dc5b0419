package org.sluice.core.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.net.ProtocolException;
import java.util.List;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

class ReplyTest {
  private static final Reply.Opened OPENED =
      new Reply.Opened(RequestDescriptor.DIVERT, 1, 2, 0, 3L << 32);

  static final List<Arguments> REPLIES =
      List.of(
          arguments(new Request.Attach(1, 2, 3, 4, 5, 6, 7, 8), new Reply.Attached(7, 1L << 40)),
          arguments(new Request.Open(1, 2, 3, "p"), OPENED),
          arguments(new Request.Create(1, 2, 3, "n"), new Reply.Created(OPENED, "/store/ä")),
          arguments(new Request.Settle(1, 0), new Reply.Settled(12)),
          arguments(new Request.Sync(1), new Reply.Done()),
          arguments(new Request.ListCheckpoints(), new Reply.Checkpoints(List.of(3L, 1L << 33))),
          arguments(new Request.Restart(1, 2, "n"), new Reply.Text("/copy")),
          arguments(new Request.Stats(), new Reply.Text("{}")),
          arguments(new Request.Threshold(0, 0), new Reply.Threshold(1, 4, 1L << 40, 3)));

  private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[RequestDescriptor.MAX_LENGTH]);

  @ParameterizedTest
  @FieldSource("REPLIES")
  void decodesWhatWasEncoded(final Request request, final Reply reply) throws ProtocolException {
    final int length = reply.encode(buffer, 0);

    assertThat(Reply.decode(request, buffer, 0, length)).isEqualTo(reply);
    assertThatThrownBy(() -> Reply.decode(request, buffer, 0, length + 1))
        .isInstanceOf(ProtocolException.class);
  }

  @ParameterizedTest
  @FieldSource("REPLIES")
  void failureIsUnderstoodWhateverWasAsked(final Request request, final Reply reply)
      throws ProtocolException {
    final Reply failed = new Reply.Failed(28, "no space, " + reply);
    final int length = failed.encode(buffer, 0);

    assertThat(buffer.getInt(RequestDescriptor.STATUS_OFFSET)).isEqualTo(-28);
    assertThat(Reply.decode(request, buffer, 0, length)).isEqualTo(failed);
  }

  @Test
  void theNewestOfVeryManyCheckpointsFitOneFrame() throws ProtocolException {
    final List<Long> all = LongStream.range(0, 10_000).boxed().toList();
    final int length = Reply.Checkpoints.newest(all).encode(buffer, 0);

    assertThat(Reply.decode(new Request.ListCheckpoints(), buffer, 0, length))
        .isEqualTo(new Reply.Checkpoints(all.subList(10_000 - Reply.Checkpoints.MOST, 10_000)));
    assertThat(length).isEqualTo(RequestDescriptor.MAX_LENGTH - Integer.BYTES);
  }

  @Test
  void listThatClaimsMoreThanTheFrameHoldsIsRefused() throws ProtocolException {
    final int length = new Reply.Checkpoints(List.of(1L)).encode(buffer, 0);
    buffer.putInt(RequestDescriptor.HEADER_LENGTH, 2);

    assertThatThrownBy(() -> Reply.decode(new Request.ListCheckpoints(), buffer, 0, length))
        .isInstanceOf(ProtocolException.class);
  }
}
