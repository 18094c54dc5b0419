package org.sluice.iop.wave.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What goes between the layer in C and the coordinator, byte for byte as encoding.txt has it. */
class EncodingTest {
  private static final long OTHER = 0x1122334455667788L;
  private static final Stream FROM_THREE = new Stream(OTHER, 3, 1, 7);
  private static final Stream TO_THREE = new Stream(1, 0, 3, -5);
  private static final Expect EXPECT =
      new Expect(Map.of(TO_THREE, 2L), Map.of(1L, 5L), Map.of(FROM_THREE, 3L));

  private static final Marker MARKER =
      new Marker(
          3,
          Map.of(FROM_THREE, 5L),
          Map.of(TO_THREE, 1L << 40),
          Map.of(1L, 4L, OTHER, 9L),
          List.of(
              new Event.Posted(12, new Pattern(1, -1, -2)),
              new Event.Posted(13, new Pattern(OTHER, 1, 7))));

  private static final Recording RECORDING =
      new Recording(
          3,
          List.of(
              new Event.Sent(new Message(FROM_THREE, 6), 0xdeadbeef),
              new Event.Posted(14, new Pattern(1, 0, -5)),
              new Event.Completed(List.of(12, 14)),
              new Event.Nothing(2),
              new Event.Probed(17),
              new Event.Entered(15, new Collective(1, 5), Flow.values()[2], 3, 0x80000001)),
          Map.of(14, new Message(TO_THREE, 2)),
          List.of(new Message(TO_THREE, 3), new Message(TO_THREE, 4)));

  private static byte[] golden(final String name) throws IOException {
    try (InputStream in = EncodingTest.class.getResourceAsStream("encoding.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith(name + " "))
          .map(line -> HexFormat.of().parseHex(line.substring(name.length() + 1)))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void aMarkerIsReadToItsEnd() throws IOException {
    final ByteBuffer bytes = ByteBuffer.wrap(golden("marker"));
    assertThat(Encoding.marker(bytes)).isEqualTo(MARKER);
    assertThat(bytes.hasRemaining()).isFalse();
  }

  @Test
  void aRecordingIsReadToItsEnd() throws IOException {
    final ByteBuffer bytes = ByteBuffer.wrap(golden("recording"));
    assertThat(Encoding.recording(bytes)).isEqualTo(RECORDING);
    assertThat(bytes.hasRemaining()).isFalse();
  }

  @Test
  void whatARankIsToExpectIsWritten() throws IOException {
    assertThat(Encoding.bytes(EXPECT)).isEqualTo(golden("expect"));
  }

  @Test
  void aPlanIsWrittenWithoutItsEvents() throws IOException {
    final Plan plan =
        new Plan(
            RECORDING.events(),
            Map.of(14, new Message(TO_THREE, 2)),
            Map.of(16, new Message(TO_THREE, 3)),
            EXPECT,
            Map.of(FROM_THREE, 6L));
    assertThat(Encoding.bytes(plan)).isEqualTo(golden("plan"));
  }

  @Test
  void anyMessageThatIsCutIsRefused() throws IOException {
    final byte[] marker = golden("marker");
    for (int length = 0; length < marker.length; length++) {
      final ByteBuffer cut = ByteBuffer.wrap(marker, 0, length);
      assertThatThrownBy(() -> Encoding.marker(cut)).isInstanceOf(BufferUnderflowException.class);
    }
  }

  @Test
  void anEventOfAnUnknownKindIsRefused() throws IOException {
    final byte[] recording = golden("recording");
    recording[16] = 7;
    assertThatThrownBy(() -> Encoding.recording(ByteBuffer.wrap(recording)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
