package org.sluice.core.store.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTextTest {
  private static Map<String, Object> members() {
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("text", "quoted \" \\ / \b\f\n\r\t \u0001 ä € \uD83D\uDE00");
    members.put("empty", "");
    members.put("large", Long.MAX_VALUE);
    members.put("small", Long.MIN_VALUE);
    members.put("yes", true);
    members.put("no", false);
    members.put("nothing", null);
    members.put("none", List.of());
    members.put("list", List.of("a", 1L, false));
    return members;
  }

  @Test
  void readsWhatTheLibraryWrites() throws IOException {
    for (final JSON writer : List.of(JSON.std, JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT))) {
      final byte[] json = writer.with(JSON.Feature.WRITE_NULL_PROPERTIES).asBytes(members());
      assertThat(JsonText.members(json)).isEqualTo(members());
    }
  }

  @Test
  void readsFractionsWhereTheyMayBe() throws IOException {
    final Map<String, Object> members = members();
    members.put("seconds", 0.0697274025);
    members.put("short", 1.0E-9);
    final String json = JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES).asString(members);
    assertThat(JsonText.membersWithFractions(json)).isEqualTo(members);
    assertThatIOException().isThrownBy(() -> JsonText.membersWithFractions("{\"a\":1.5.5}"));
  }

  @Test
  void refusesWhatIsCutShort() throws IOException {
    final byte[] json = JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES).asBytes(members());
    for (int length = 0; length < json.length; length++) {
      final byte[] part = Arrays.copyOf(json, length);
      assertThatIOException().isThrownBy(() -> JsonText.members(part));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "{}x",
        "{\"a\":1.5}",
        "{\"a\":9223372036854775808}",
        "{\"a\":maybe}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u00g0\"}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":[1 2]}",
        "{\"a\":[[1]]}",
        "{\"a\":{}}",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":\"\n\"}"
      })
  void refusesWhatNoStoreHas(final String json) {
    assertThatIOException()
        .isThrownBy(() -> JsonText.members(json.getBytes(StandardCharsets.UTF_8)));
  }
}
