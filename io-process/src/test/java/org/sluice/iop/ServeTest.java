package org.sluice.iop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.segment.ProcessIdentity;

/** What tests of a served store share. */
abstract class ServeTest {
  private static final String ROOM = "16M";

  @TempDir Path root;
  Path runtime;
  Path store;
  Path capture;

  @BeforeEach
  void makeDirectories() throws IOException {
    runtime = Files.createDirectory(root.resolve("run"));
    Files.setPosixFilePermissions(
        runtime, java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
    store = root.resolve("store");
    capture = Files.createDirectory(root.resolve("capture")).toRealPath();
  }

  ServeProcess serve(final String layout, final String... more) throws IOException {
    final String[] options =
        new String[] {
          "--store",
          store.toString(),
          "--capture",
          capture.toString(),
          "--buffer",
          ROOM,
          "--chunk",
          "64K",
          "--layout",
          layout
        };
    final String[] all = new String[options.length + more.length];
    System.arraycopy(options, 0, all, 0, options.length);
    System.arraycopy(more, 0, all, options.length, more.length);
    return ServeProcess.start(runtime, all);
  }

  /** A process that does nothing until it is killed. */
  static Process victim() throws IOException {
    return new ProcessBuilder("sleep", "1000").start();
  }

  static ProcessIdentity identity(final Process process) {
    return ProcessIdentity.of((int) process.pid()).orElseThrow();
  }

  static byte[] bytes(final String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  /** Waits for a condition that another process brings about. */
  static void await(final Condition condition) throws Exception {
    final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("time is over").isLessThan(deadline);
      Thread.onSpinWait();
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
    }
  }

  /** Something that is to become true. */
  @FunctionalInterface
  interface Condition {
    boolean holds() throws Exception;
  }
}
