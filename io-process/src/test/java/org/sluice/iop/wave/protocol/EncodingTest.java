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
public class EncodingTest {
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
              new OpenReceive(12, new Pattern(1, -1, -2)),
              new OpenReceive(13, new Pattern(OTHER, 1, 7))));

  /** A message as C has it. */
  public static byte[] golden(final String name) throws IOException {
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
  void whatARankIsToExpectIsWritten() throws IOException {
    assertThat(Encoding.bytes(EXPECT)).isEqualTo(golden("expect"));
  }

  @Test
  void anyMessageThatIsCutIsRefused() throws IOException {
    final byte[] marker = golden("marker");
    for (int length = 0; length < marker.length; length++) {
      final ByteBuffer cut = ByteBuffer.wrap(marker, 0, length);
      assertThatThrownBy(() -> Encoding.marker(cut)).isInstanceOf(BufferUnderflowException.class);
    }
  }
}
