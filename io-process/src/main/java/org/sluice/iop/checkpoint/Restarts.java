package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.store.CheckpointReader;
import org.sluice.core.store.Commit;
import org.sluice.core.store.CommittedImage;
import org.sluice.core.store.Rebuilder;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.PoisonException;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Caller;

/** Answers what has to be read from the store, on a thread of its own. Thread-safe. */
public final class Restarts implements AutoCloseable {
  private final Context context;

  private final Lane lane;
  private final ExecutorService reader =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name(Lane.Role.RESTART.thread()).factory());

  /** By number, those that are asked for and not looked up yet. */
  private final Map<Long, Lookup> lookups = new ConcurrentHashMap<>();

  /**
   * A checkpoint that is looked up once for all who asked before that began: at a restart of a job
   * each of its ranks asks for several images, and a store may have many checkpoints. A reader of a
   * series is another one each time, which knows what it has looked up itself.
   */
  private final class Lookup {
    private final long number;
    private CheckpointReader reader;
    private Commit commit;
    private List<CommittedImage> images;

    Lookup(final long number) {
      this.number = number;
    }

    Commit commit(final CheckpointReader by) throws IOException {
      lookups.remove(number, this);
      if (reader != by) {
        commit =
            (number < 0 ? by.newest() : by.find(number))
                .orElseThrow(() -> new MissingException("no such committed checkpoint"));
        images = null;
        reader = by;
      }
      return commit;
    }

    /** The checkpoint is held. */
    CommittedImage image(final String path) throws IOException {
      if (images == null) {
        images = reader.images(commit);
      }
      return images.stream()
          .filter(candidate -> candidate.path().equals(path))
          .findFirst()
          .orElseThrow(
              () ->
                  new MissingException(
                      "checkpoint %d has no image %s".formatted(commit.number(), path)));
    }
  }

  /** Reads what a restart sees. */
  @FunctionalInterface
  interface Reading<T> {
    T of(CheckpointReader reader) throws IOException;
  }

  /** Makes a reply from the store, which takes time. */
  @FunctionalInterface
  private interface Answer {
    Reply get() throws IOException;
  }

  Restarts(final Context context) {
    this.lane = context.journal().inFlight().lane(Lane.Role.RESTART);
    this.context = context;
  }

  /**
   * Answers which checkpoints are committed.
   *
   * @param caller gets the reply
   */
  public void list(final Caller caller) {
    answer(
        0,
        caller,
        () ->
            new Reply.Checkpoints(
                context.read(reader -> reader.commits().stream().map(Commit::number).toList())));
  }

  /**
   * Answers with a rebuilt copy of an image.
   *
   * @param request the checkpoint and the image that are asked for
   * @param caller gets the reply
   */
  public void restart(final Request.Restart request, final Caller caller) {
    final Lookup lookup = lookups.computeIfAbsent(request.checkpoint(), Lookup::new);
    answer(
        (request.checkpoint() * 31 + request.rank()) * 31 + request.name().hashCode(),
        caller,
        () -> new Reply.Text(rebuild(request, lookup).toString()));
  }

  private Path rebuild(final Request.Restart request, final Lookup lookup) throws IOException {
    try {
      return context.read(reader -> rebuild(request, reader, lookup));
    } catch (final MissingException missing) {
      if (context.isContentWithStage()) {
        return context.readBucket(reader -> rebuild(request, reader, lookup));
      }
      throw missing;
    }
  }

  private void answer(final long id, final Caller caller, final Answer answer) {
    reader.execute(
        () -> {
          final boolean fit = lane.begin(Subject.REQUEST, id, Lane.NO_SLOT, Lane.NO_IMAGE);
          caller.answer(fit ? reply(answer) : failed(new PoisonException(Subject.REQUEST)));
          lane.end();
          if (fit) {
            lane.passed(Subject.REQUEST, id);
          }
        });
  }

  private static Reply reply(final Answer answer) {
    Fault.strike(FaultPoint.RESTART);
    try {
      return answer.get();
    } catch (final IOException e) {
      return failed(e);
    }
  }

  private static Reply failed(final IOException e) {
    return switch (e) {
      case MissingException missing -> new Reply.Failed(Errno.ENOENT, missing.getMessage());
      case PosixException posix -> new Reply.Failed(posix.errno(), posix.getMessage());
      default -> new Reply.Failed(Errno.EIO, e.toString());
    };
  }

  /** The store has no such thing. */
  private static final class MissingException extends IOException {
    private static final long serialVersionUID = 1;

    MissingException(final String message) {
      super(message);
    }
  }

  private Path rebuild(
      final Request.Restart request, final CheckpointReader reader, final Lookup lookup)
      throws IOException {
    final Commit commit = lookup.commit(reader);
    final String path = ExplicitCheckpoint.path(request.rank(), request.name());
    try (NativeFile copy = context.store().createImageFile()) {
      try {
        if (!reader.whileHeld(commit, () -> rebuild(path, lookup, copy))) {
          throw new MissingException(
              "checkpoint %d was removed just now".formatted(commit.number()));
        }
        return Path.of(copy.opened());
      } catch (final IOException e) {
        Names.delete(copy.opened());
        throw e;
      }
    }
  }

  private static void rebuild(final String path, final Lookup lookup, final NativeFile copy)
      throws IOException {
    final CommittedImage image = lookup.image(path);
    try (Rebuilder rebuilder = lookup.reader.rebuilder(lookup.commit, false)) {
      rebuilder.rebuild(image, copy);
    }
  }

  /** Waits until everything is answered. */
  @Override
  public void close() {
    reader.close();
  }
}
