package org.sluice.iop.trigger;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Speaker;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.drain.Caller;
import org.sluice.restart.InTheWayException;
import org.sluice.restart.WholeRestore;

/** The restores of whole checkpoints that processes ask for. Thread-safe. */
final class Restores {
  private final CheckpointStorage storage;
  private final Wholeness wholeness;

  /** Has files hold all that a program reads of them, and tells whether that changed one. */
  @FunctionalInterface
  interface Wholeness {
    void makeWhole(List<String> paths, Consumer<Boolean> then);
  }

  /** The restores that are not begun yet. */
  private final Map<Request.Restore, Restore> waiting = new ConcurrentHashMap<>();

  /** A restore, and all who asked for it before it began: each rank of a job may do so. */
  final class Restore implements Caller {
    private final Request.Restore request;
    private final Consumer<Restore> start;
    private final List<Caller> callers = new CopyOnWriteArrayList<>();
    private boolean again;

    Restore(final Request.Restore request, final Consumer<Restore> start) {
      this.request = request;
      this.start = start;
    }

    /** Restores, once more where files of this session's own checkpoints are in the way. */
    void run() {
      begin();
      try {
        read(request);
        answer(new Reply.Done());
      } catch (final InTheWayException e) {
        if (again) {
          answer(failed(e));
        } else {
          again = true;
          wholeness.makeWhole(e.paths(), changed -> goOn(changed, e));
        }
      } catch (final IOException | CommandException e) {
        answer(failed(e));
      }
    }

    private void goOn(final boolean changed, final InTheWayException before) {
      try {
        if (changed) {
          start.accept(this);
          return;
        }
      } catch (final RejectedExecutionException sessionIsOver) {
        // The process that asked is going to be told of that.
      }
      answer(failed(before));
    }

    private void begin() {
      waiting.remove(request, this);
    }

    @Override
    public void answer(final Reply reply) {
      begin();
      callers.forEach(caller -> caller.answer(reply));
    }
  }

  Restores(final CheckpointStorage storage, final Wholeness wholeness) {
    this.storage = storage;
    this.wholeness = wholeness;
  }

  /**
   * Has a caller answered once a checkpoint is restored.
   *
   * @param start puts a restore that nobody asked for yet behind what the thread has to do
   */
  void ask(final Request.Restore request, final Caller caller, final Consumer<Restore> start) {
    waiting.compute(
        request,
        (same, asked) -> {
          final Restore restore = asked == null ? new Restore(request, start) : asked;
          restore.callers.add(caller);
          if (asked == null) {
            start.accept(restore);
          }
          return restore;
        });
  }

  private static Reply failed(final Exception e) {
    return new Reply.Failed(errno(e), e.getMessage());
  }

  private void read(final Request.Restore request) throws IOException {
    try {
      storage.publisher().<Void>read(reader -> restore(request, reader));
    } catch (final CommandException e) {
      if (e.status() != ExitStatus.NOT_FOUND || !storage.publisher().isContentWithStage()) {
        throw e;
      }
      storage.publisher().<Void>readBucket(reader -> restore(request, reader));
    }
  }

  private Void restore(final Request.Restore request, final CheckpointReader reader)
      throws IOException {
    new WholeRestore(reader, Path.of(storage.store().store()), Speaker::say)
        .run(request.checkpoint(), request.directory());
    return null;
  }

  /**
   * Returns an error number. {@code ENOENT} says that there is no such checkpoint, nothing else.
   */
  private static int errno(final Exception e) {
    if (e instanceof PosixException posix && posix.errno() != Errno.ENOENT) {
      return posix.errno();
    }
    return switch (ExitStatus.of(e)) {
      case NOT_FOUND -> Errno.ENOENT;
      case EXISTS -> Errno.EEXIST;
      case USAGE -> Errno.EINVAL;
      case DENIED -> Errno.EACCES;
      case NO_ROOM -> Errno.ENOSPC;
      default -> Errno.EIO;
    };
  }
}
