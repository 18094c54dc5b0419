package org.sluice.bench.node;

import org.sluice.core.command.SizeConverter;
import org.sluice.core.segment.HeaderDescriptor;
import picocli.CommandLine.ITypeConverter;

/**
 * A threshold to measure.
 *
 * @param label what results call it, such as {@code 64K} or {@code auto}
 * @param policy {@code HeaderDescriptor.POLICY_*}
 * @param bytes from which size on writes go direct, with the fixed policy
 */
record Threshold(String label, int policy, long bytes) {
  /** Reads {@code auto} or a size. */
  static final class Converter implements ITypeConverter<Threshold> {
    /** For picocli. */
    Converter() {}

    @Override
    public Threshold convert(final String value) {
      return value.equals("auto")
          ? new Threshold(value, HeaderDescriptor.POLICY_AUTO, Long.MAX_VALUE)
          : new Threshold(value, HeaderDescriptor.POLICY_FIXED, new SizeConverter().convert(value));
    }
  }

  boolean isAuto() {
    return policy == HeaderDescriptor.POLICY_AUTO;
  }

  @Override
  public String toString() {
    return label;
  }
}
