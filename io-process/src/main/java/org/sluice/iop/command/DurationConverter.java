package org.sluice.iop.command;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A converter of times such as {@code 500ms}, {@code 30}, {@code 30s}, {@code 2m} and {@code 1h}.
 */
final class DurationConverter implements ITypeConverter<Duration> {
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h|)");

  @Override
  public Duration convert(final String value) {
    final Matcher matcher = TIME.matcher(value);
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'%s' is not a time such as 500ms, 30s or 2m".formatted(value));
    }
    final long count = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      default -> Duration.ofSeconds(count);
    };
  }
}
