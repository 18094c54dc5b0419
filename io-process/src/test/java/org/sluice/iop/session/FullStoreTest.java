package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;

/** A file system of 1 MiB under the store, or under the captured files. */
@EnabledIf("isRoot")
class FullStoreTest extends ServeTest {
  private static final int ENOUGH = 40;

  private Path small;

  static boolean isRoot() throws Exception {
    return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
  }

  private Path mount(final Path directory) throws Exception {
    Files.createDirectories(directory);
    run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", directory.toString());
    small = directory;
    return directory;
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", small.toString());
  }

  private static void run(final String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  @Test
  void writerLearnsThatTheStoreIsFullAndTheServiceGoesOn() throws Exception {
    mount(root.resolve("store"));
    try (ServeProcess serve = serve("container");
        RawProcess process = RawProcess.attach(serve.directory())) {
      fill(process, capture.resolve("image"));
      assertThat(process.call(new Request.Stats())).isInstanceOf(Reply.Text.class);
      await(() -> serve.errors().contains("ENOSPC")); // a writer sees it before it is said
      assertThat(serve.errors()).contains("image");
    }
  }

  @Test
  void writerLearnsThatItsFileSystemIsFull() throws Exception {
    mount(capture);
    try (ServeProcess serve = serve("files");
        RawProcess process = RawProcess.attach(serve.directory())) {
      fill(process, capture.resolve("image"));
      await(() -> serve.errors().contains("ENOSPC"));
      assertThat(serve.errors()).contains("image");
    }
  }

  private static void fill(final RawProcess process, final Path file) throws Exception {
    final Reply.Opened image = process.create(file);
    for (int i = 0; i < ENOUGH; i++) {
      process.write(image.imageId(), i * 60_000L, new byte[60_000]);
      process.publish();
    }
    final Reply reply = process.call(new Request.Sync(image.imageId()));
    assertThat(((Reply.Failed) reply).errno()).isEqualTo(Errno.ENOSPC);
    assertThat(process.segment().imageTable().error(image.entry())).isEqualTo(Errno.ENOSPC);
  }
}
