package org.sluice.iop.wave.protocol.c3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.iop.wave.protocol.Collective;
import org.sluice.iop.wave.protocol.EncodingTest;
import org.sluice.iop.wave.protocol.Flow;
import org.sluice.iop.wave.protocol.Message;
import org.sluice.iop.wave.protocol.Pattern;
import org.sluice.iop.wave.protocol.Stream;

/** What goes between C3 in C and its coordinator, byte for byte as encoding.txt has it. */
class RecordCodecTest {
  private static final long OTHER = 0x1122334455667788L;
  private static final Stream FROM_THREE = new Stream(OTHER, 3, 1, 7);
  private static final Stream TO_THREE = new Stream(1, 0, 3, -5);

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

  @Test
  void aRecordingIsReadToItsEnd() throws IOException {
    final ByteBuffer bytes = ByteBuffer.wrap(EncodingTest.golden("recording"));
    assertThat(RecordCodec.recording(bytes)).isEqualTo(RECORDING);
    assertThat(bytes.hasRemaining()).isFalse();
  }

  @Test
  void aPlanIsWrittenWithoutItsEvents() throws IOException {
    final Plan plan =
        new Plan(
            RECORDING.events(),
            Map.of(14, new Message(TO_THREE, 2)),
            Map.of(16, new Message(TO_THREE, 3)),
            Map.of(FROM_THREE, 6L));
    assertThat(RecordCodec.bytes(plan)).isEqualTo(EncodingTest.golden("plan"));
  }

  @Test
  void anEventOfAnUnknownKindIsRefused() throws IOException {
    final byte[] recording = EncodingTest.golden("recording");
    recording[16] = 7;
    assertThatThrownBy(() -> RecordCodec.recording(ByteBuffer.wrap(recording)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
