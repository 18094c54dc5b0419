package org.sluice.core.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;

/** What a reader may do with bytes that may be anything: read them, or say in a line why not. */
public final class Outcome {
  private Outcome() {}

  /** Reads. */
  @FunctionalInterface
  public interface Reader {
    void read() throws IOException;
  }

  /**
   * Reads, and accepts a refusal that names what was read.
   *
   * @param what the name
   * @param reader anything but an {@link IOException} from it is a fault
   */
  public static void isReadOrRefused(final String what, final Reader reader) {
    try {
      reader.read();
    } catch (final IOException refusal) {
      assertThat(refusal).hasMessageContaining(what);
      assertThat(refusal.getMessage()).doesNotContain("\n").hasSizeLessThan(1000);
    }
  }
}
