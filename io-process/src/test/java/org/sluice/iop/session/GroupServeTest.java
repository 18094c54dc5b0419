package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.node.PosixStore;

/** An I/O process that finds checkpoints in names, and ranks that write them. */
abstract class GroupServeTest extends ServeTest {
  private static final String GROUP = "step-([0-9]+)";

  /** What a rank does before it is killed. */
  @FunctionalInterface
  interface Deed {
    void by(RawProcess process) throws IOException;
  }

  ServeProcess serveGroups(final String... more) throws IOException {
    final String[] all = new String[more.length + 2];
    all[0] = "--group";
    all[1] = GROUP;
    System.arraycopy(more, 0, all, 2, more.length);
    return serve("container", all);
  }

  static RawProcess rank(final ServeProcess serve, final int rank, final int ranks)
      throws IOException {
    return RawProcess.attach(serve.directory(), ProcessIdentity.current(), rank, ranks);
  }

  static Reply.Opened write(final RawProcess process, final Path file, final String text)
      throws IOException {
    final Reply.Opened opened = process.create(file);
    process.write(opened.imageId(), 0, bytes(text));
    return opened;
  }

  static Reply committed(final RawProcess process, final long number) throws IOException {
    return process.call(new Request.Await(number, 60_000));
  }

  String restored(final long number, final String path) throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      final Path copy = Files.createTempFile(root, "restored", "");
      Commit commit;
      do { // again if another one takes its place before it is held
        commit = opened.find(number).orElseThrow();
      } while (!restore(opened, commit, path, copy));
      return Files.readString(copy);
    }
  }

  static boolean restore(
      final PosixStore opened, final Commit commit, final String path, final Path copy)
      throws IOException {
    return opened.whileHeld(
        commit,
        () -> {
          final CommittedImage image =
              opened.images(commit).stream()
                  .filter(candidate -> candidate.path().equals(path))
                  .findFirst()
                  .orElseThrow();
          try (NativeFile target = NativeFile.open(copy, NativeFile.Flag.WRITE)) {
            opened.rebuild(commit, image, target);
          }
        });
  }

  List<String> committedPaths(final long number) throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      return opened.images(opened.find(number).orElseThrow()).stream()
          .map(CommittedImage::path)
          .toList();
    }
  }

  List<Long> numbers() throws IOException {
    try (PosixStore opened = PosixStore.open(store)) {
      return opened.commits().stream().map(Commit::number).toList();
    }
  }

  void writeStep(final int step, final String text, final RawProcess... ranks) throws IOException {
    for (int rank = 0; rank < ranks.length; rank++) {
      final Path file = capture.resolve("step-%d.%d".formatted(step, rank));
      ranks[rank].end(write(ranks[rank], file, text).imageId());
    }
  }

  static void replace(final RawProcess process, final Path file, final int flags)
      throws IOException {
    try (NativeFile opened = NativeFile.open(file)) {
      final Request.Replace request =
          new Request.Replace(opened.device(), opened.inode(), flags, file.toString());
      assertThat(process.call(request)).isEqualTo(new Reply.Done());
    }
  }

  static void renamed(final RawProcess process, final Path now) throws IOException {
    try (NativeFile file = NativeFile.open(now)) {
      process.tell(new Request.Renamed(file.device(), file.inode()));
    }
  }

  void killed(final ServeProcess serve, final int rank, final Deed deed) throws Exception {
    final Process victim = victim();
    try (RawProcess process = RawProcess.attach(serve.directory(), identity(victim), rank, 2)) {
      deed.by(process);
      victim.destroyForcibly().waitFor();
      mourn(process);
    }
  }

  /**
   * Hangs up, and waits until the I/O process has given the slot back: who comes next comes later.
   */
  static void mourn(final RawProcess killed) throws Exception {
    killed.hangUp();
    await(() -> !killed.segment().slot(killed.slot()).isAttached());
  }
}
