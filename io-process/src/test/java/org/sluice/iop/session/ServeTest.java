package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
    runtime = createRuntime(root.resolve("run"));
    store = root.resolve("store");
    capture = Files.createDirectory(root.resolve("capture")).toRealPath();
  }

  /** A runtime directory, which must be its owner's alone. */
  static Path createRuntime(final Path path) throws IOException {
    final Set<PosixFilePermission> owners = PosixFilePermissions.fromString("rwx------");
    return Files.createDirectory(path, PosixFilePermissions.asFileAttribute(owners));
  }

  ServeProcess serve(final String layout, final String... more) throws IOException {
    return ServeProcess.start(runtime, options(store, capture, layout, more));
  }

  /** In the container layout all files are of one checkpoint, unless told otherwise. */
  static String[] options(
      final Path store, final Path capture, final String layout, final String... more) {
    final List<String> all = new ArrayList<>();
    all.addAll(List.of("--store", store.toString(), "--capture", capture.toString()));
    all.addAll(List.of("--buffer", ROOM, "--chunk", "64K", "--layout", layout));
    all.addAll(List.of(more));
    if (layout.equals("container") && !all.contains("--group")) {
      all.addAll(List.of("--group", "."));
    }
    return all.toArray(String[]::new);
  }

  /** A process that does nothing until it is killed. */
  static Process victim() throws IOException {
    return new ProcessBuilder("sleep", "1000").start();
  }

  static ProcessIdentity identity(final Process process) throws IOException {
    return ProcessIdentity.of((int) process.pid()).orElseThrow();
  }

  static byte[] bytes(final String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  /** Waits for a condition that another process brings about, for so many looks. */
  static void await(final Condition condition) throws Exception {
    for (int looks = 60_000; !condition.holds(); looks--) {
      assertThat(looks).as("looks that are left").isPositive();
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
