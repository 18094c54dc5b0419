package org.sluice.core.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SizeConverterTest {
  private final SizeConverter converter = new SizeConverter();

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "4096, 4096",
    "64K, 65536",
    "64k, 65536",
    "512M, 536870912",
    "2G, 2147483648"
  })
  void readsBinarySizes(final String text, final long bytes) {
    assertThat(converter.convert(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "K", "-1", "1.5G", "1T", "1 K", "much", "9999999999999999G"})
  void refusesWhatIsNoSize(final String text) {
    assertThatThrownBy(() -> converter.convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'" + text + "'");
  }

  @ParameterizedTest
  @CsvSource({"0, 0B", "1023, 1023B", "1024, 1.0K", "1536, 1.5K", "192937984, 184.0M"})
  void writesSizesForPeople(final long bytes, final String text) {
    assertThat(SizeConverter.format(bytes)).isEqualTo(text);
  }
}
