package org.sluice.core.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ProtocolException;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Reason;

class RequestTest {
  static final List<Request> REQUESTS =
      List.of(
          new Request.Attach(HeaderDescriptor.VERSION, 11, 12, 13, 14, 15, 16, 1),
          new Request.Resume(HeaderDescriptor.VERSION, 2, 3, 4, 5),
          new Request.Open(21, 22, RequestDescriptor.OPEN_CREATED, "/tmp/ä"),
          new Request.Settle(41, Reason.READ.ordinal()),
          new Request.Sync(51),
          new Request.Renamed(61, 62),
          new Request.Replace(71, 72, RequestDescriptor.REPLACE_TRUNCATE, "path"),
          new Request.Wake(),
          new Request.Begin(161, 162, 163),
          new Request.Create(171, 172, 173, "name"),
          new Request.Complete(181, 182),
          new Request.Reuse(261, 262, "\udc81\udc82"),
          new Request.Await(191, 192),
          new Request.ListCheckpoints(),
          new Request.Restart(-1, 212, ""),
          new Request.Read(-1, 212, 7, "n"),
          new Request.Join(HeaderDescriptor.VERSION, "/store"),
          new Request.Leave(331),
          new Request.Stats(),
          new Request.Threshold(HeaderDescriptor.POLICY_FIXED, 1L << 40));

  private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[2 * RequestDescriptor.MAX_LENGTH]);

  @ParameterizedTest
  @FieldSource("REQUESTS")
  void decodesWhatWasEncoded(final Request request) throws ProtocolException {
    final int length = request.encode(buffer, 4);

    assertThat(Frames.length(buffer, 4, length)).isEqualTo(length);
    assertThat(Request.decode(buffer, 4, length)).isEqualTo(request);
  }

  @ParameterizedTest
  @FieldSource("REQUESTS")
  void refusesEveryOtherLength(final Request request) throws ProtocolException {
    final int length = request.encode(buffer, 0);

    for (int wrong = RequestDescriptor.HEADER_LENGTH; wrong <= length + 8; wrong++) {
      final int frameLength = wrong;
      if (wrong != length) {
        assertThatThrownBy(() -> Request.decode(buffer, 0, frameLength))
            .isInstanceOf(ProtocolException.class);
      }
    }
  }

  @Test
  void layoutIsTheOneOfTheFormat() throws ProtocolException {
    final int length = new Request.Open(1L << 32 | 2, 3, 4, "ab").encode(buffer, 0);

    assertThat(length).isEqualTo(34);
    assertThat(buffer.getInt(0)).isEqualTo(34);
    assertThat(buffer.getInt(4)).isEqualTo(2);
    assertThat(buffer.getLong(8)).isEqualTo(1L << 32 | 2);
    assertThat(buffer.getLong(16)).isEqualTo(3);
    assertThat(buffer.getInt(24)).isEqualTo(4);
    assertThat(buffer.getInt(28)).isEqualTo(2);
    assertThat(buffer.getByte(33)).isEqualTo((byte) 'b');
  }

  @Test
  void attachOfAnotherVersionIsUnderstoodWhateverItsLength() throws ProtocolException {
    new Request.Join(99, "").encode(buffer, 0);
    buffer.putInt(RequestDescriptor.TYPE_OFFSET, 1);

    assertThat(Request.decode(buffer, 0, 12))
        .isEqualTo(new Request.Attach(99, 0, 0, 0, 0, 0, 0, 0));
  }

  @Test
  void stringThatClaimsMoreThanTheFrameHoldsIsRefused() throws ProtocolException {
    final int length = new Request.Open(1, 2, 3, "path").encode(buffer, 0);
    for (final int claim : new int[] {5, Integer.MAX_VALUE, -1}) {
      buffer.putInt(28, claim);
      assertThatThrownBy(() -> Request.decode(buffer, 0, length))
          .isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void unknownTypeIsRefused() {
    buffer.putInt(RequestDescriptor.TYPE_OFFSET, 77);

    assertThatThrownBy(() -> Request.decode(buffer, 0, 8)).hasMessageContaining("type=77");
  }

  @Test
  void frameLongerThanTheLimitIsNotEncoded() {
    final Request request = new Request.Open(1, 2, 3, "x".repeat(RequestDescriptor.MAX_LENGTH));

    assertThatThrownBy(() -> request.encode(buffer, 0)).isInstanceOf(ProtocolException.class);
  }

  @Test
  void lengthIsZeroUntilTheWholeFrameIsThere() throws ProtocolException {
    final int length = new Request.Sync(1).encode(buffer, 0);

    assertThat(Frames.length(buffer, 0, 7)).isZero();
    assertThat(Frames.length(buffer, 0, length - 1)).isZero();
    assertThat(Frames.length(buffer, 0, length + 1)).isEqualTo(length);
  }

  @Test
  void impossibleLengthsAreRefused() {
    for (final int length : new int[] {-1, 0, 7, RequestDescriptor.MAX_LENGTH + 1}) {
      buffer.putInt(0, length);
      assertThatThrownBy(() -> Frames.length(buffer, 0, 8)).isInstanceOf(ProtocolException.class);
    }
  }
}
