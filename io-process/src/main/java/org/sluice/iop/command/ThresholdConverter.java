package org.sluice.iop.command;

import java.util.OptionalLong;
import org.sluice.core.command.SizeConverter;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A converter of {@code auto}, which gives an empty value, {@code fixed:64K}, and a size alone,
 * which means fixed.
 */
final class ThresholdConverter implements ITypeConverter<OptionalLong> {
  private static final String FIXED = "fixed:";

  @Override
  public OptionalLong convert(final String value) {
    if (value.equals("auto")) {
      return OptionalLong.empty();
    }
    final String size = value.startsWith(FIXED) ? value.substring(FIXED.length()) : value;
    try {
      return OptionalLong.of(new SizeConverter().convert(size));
    } catch (final TypeConversionException e) {
      throw new TypeConversionException(
          "'%s' is neither auto nor fixed:SIZE with a size such as 64K".formatted(value));
    }
  }
}
