package org.sluice.bench.node;

import java.nio.file.Path;

/** Where this checkout has what it built. */
final class Installation {
  private static final Path HOME = Path.of(System.getProperty("sluice.home"));

  private Installation() {}

  static Path sluice() {
    return HOME.resolve("scripts/sluice");
  }

  static Path nodeProgram() {
    return HOME.resolve("jmh-benchmarks/target/native/checkpoint_node");
  }

  static Path jcmd() {
    return Path.of(System.getProperty("java.home"), "bin/jcmd");
  }

  static Path preload() {
    return HOME.resolve("blcr-bridge/target/native/libsluice_preload.so");
  }
}
