package org.sluice.core.command;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.slf4j.LoggerFactory;
import org.sluice.core.posix.NativeProcess;

/**
 * Links what commands call in a thread of its own, while the command line is set up: that takes as
 * long. It changes nothing but how soon the first calls return.
 */
final class Prelude {
  private Prelude() {}

  static void begin() {
    Thread.ofPlatform().daemon().name("prelude").start(Prelude::link);
  }

  private static void link() {
    NativeProcess.user();
    try {
      JSON.std.mapFrom("{}");
    } catch (final IOException noText) {
      throw new UncheckedIOException(noText);
    }
    LoggerFactory.getILoggerFactory();
  }
}
