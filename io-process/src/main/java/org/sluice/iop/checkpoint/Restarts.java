package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.Commit;
import org.sluice.core.store.CommittedImage;
import org.sluice.iop.drain.Caller;

/** Answers what has to be read from the store, on a thread of its own. Thread-safe. */
final class Restarts implements AutoCloseable {
  private final CheckpointStore store;
  private final ExecutorService reader =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("restart").factory());

  /** What takes its time. */
  @FunctionalInterface
  private interface Answer {
    Reply get() throws IOException;
  }

  Restarts(final CheckpointStore store) {
    this.store = store;
  }

  void list(final Caller caller) {
    answer(
        caller, () -> new Reply.Checkpoints(store.commits().stream().map(Commit::number).toList()));
  }

  void restart(final Request.Restart request, final Caller caller) {
    answer(caller, () -> new Reply.Text(rebuild(request).toString()));
  }

  private void answer(final Caller caller, final Answer answer) {
    reader.execute(
        () -> {
          try {
            caller.answer(answer.get());
          } catch (final NoSuchElementException e) {
            caller.answer(new Reply.Failed(Errno.ENOENT, e.getMessage()));
          } catch (final PosixException e) {
            caller.answer(new Reply.Failed(e.errno(), e.getMessage()));
          } catch (final IOException | RuntimeException e) {
            caller.answer(new Reply.Failed(Errno.EIO, e.toString()));
          }
        });
  }

  private Path rebuild(final Request.Restart request) throws IOException {
    final Commit commit =
        (request.checkpoint() < 0 ? store.newest() : store.find(request.checkpoint()))
            .orElseThrow(() -> new NoSuchElementException("no such committed checkpoint"));
    try (NativeFile copy = store.createImageFile()) {
      try {
        if (!store.whileHeld(commit, () -> rebuild(request, commit, copy))) {
          throw new NoSuchElementException(
              "checkpoint %d was removed just now".formatted(commit.number()));
        }
        return copy.opened();
      } catch (final IOException | RuntimeException e) {
        Files.deleteIfExists(copy.opened());
        throw e;
      }
    }
  }

  private void rebuild(final Request.Restart request, final Commit commit, final NativeFile copy)
      throws IOException {
    final String path = ExplicitCheckpoint.path(request.rank(), request.name());
    final CommittedImage image =
        store.images(commit).stream()
            .filter(candidate -> candidate.path().equals(path))
            .findFirst()
            .orElseThrow(
                () ->
                    new NoSuchElementException(
                        "checkpoint %d has no image %s".formatted(commit.number(), path)));
    store.rebuild(commit, image, copy);
  }

  /** Waits until everything is answered. */
  @Override
  public void close() {
    reader.close();
  }
}
