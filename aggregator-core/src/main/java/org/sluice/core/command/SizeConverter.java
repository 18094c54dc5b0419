package org.sluice.core.command;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes such as {@code 4096}, {@code 64K}, {@code 512M} and {@code 2G}, all binary. */
public final class SizeConverter implements ITypeConverter<Long> {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,18})([KMG]?)");

  @Override
  public Long convert(final String value) {
    final Matcher matcher = SIZE.matcher(value.toUpperCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'%s' is not a size such as 4096, 64K, 512M or 2G".formatted(value));
    }
    final long unit =
        switch (matcher.group(2)) {
          case "K" -> 1L << 10;
          case "M" -> 1L << 20;
          case "G" -> 1L << 30;
          default -> 1;
        };
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
    } catch (final ArithmeticException e) {
      throw new TypeConversionException("'%s' is too large".formatted(value));
    }
  }

  /** Writes a size for people, such as {@code 512B}, {@code 1.5K} or {@code 184.0M}. */
  public static String format(final long bytes) {
    final int power = Math.min((Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes | 1)) / 10, 3);
    if (power == 0) {
      return bytes + "B";
    }
    final long unit = 1L << 10 * power;
    final long tenths = bytes / unit * 10 + (bytes % unit * 10 + unit / 2) / unit;
    return tenths / 10 + "." + tenths % 10 + " KMG".charAt(power);
  }
}
