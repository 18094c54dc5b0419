package org.sluice.core.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FileNameTest {
  private final Random random = new Random(16);

  /** Halves and wholes of characters of each length, surrogates and what is too long among them. */
  private static final byte[][] PIECES = {
    {'a'},
    {(byte) 0xC3},
    {(byte) 0xA9},
    {(byte) 0xE2, (byte) 0x82},
    {(byte) 0xAC},
    {(byte) 0xF0, (byte) 0x9F, (byte) 0x98},
    {(byte) 0x80},
    {(byte) 0xFF},
    {(byte) 0xC0},
    {(byte) 0xED, (byte) 0xB2, (byte) 0x80},
    {(byte) 0xED, (byte) 0xA0},
    {(byte) 0xF4, (byte) 0x90},
  };

  @Test
  void anyBytesComeBack() {
    final Map<String, byte[]> names = new HashMap<>();
    for (int i = 0; i < 5000; i++) {
      final byte[] bytes = name();
      final String name = FileName.decode(bytes);
      assertThat(FileName.encode(name)).isEqualTo(bytes);
      assertThat(FileName.length(name)).isEqualTo(bytes.length);
      assertThat(names.getOrDefault(name, bytes)).isEqualTo(bytes);
      names.put(name, bytes);
    }
  }

  private byte[] name() {
    final int pieces = random.nextInt(6);
    final ByteArrayOutputStream name = new ByteArrayOutputStream();
    for (int i = 0; i < pieces; i++) {
      name.writeBytes(
          random.nextInt(4) == 0
              ? new byte[] {(byte) random.nextInt(256)}
              : PIECES[random.nextInt(PIECES.length)]);
    }
    return name.toByteArray();
  }

  @Test
  void textIsItself() {
    final String text = "a/\u00e9\u20ac\ud83d\ude00\ufffd";
    assertThat(FileName.decode(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(text);
    assertThat(FileName.isText(text)).isTrue();
  }

  @Test
  void eachByteThatIsNoUtf8IsALoneSurrogate() {
    final String name = FileName.decode((byte) 'a', (byte) 0xFF, (byte) 0xC3, (byte) '/');
    assertThat(name).isEqualTo("a\udcff\udcc3/");
    assertThat(FileName.isText(name)).isFalse();
  }

  @Test
  void otherSurrogatesAreNoNames() {
    assertThatThrownBy(() -> FileName.encode("a\ud800"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FileName.encode("\udc7f"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
