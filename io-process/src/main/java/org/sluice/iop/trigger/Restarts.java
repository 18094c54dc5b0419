package org.sluice.iop.trigger;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.Quoting;
import org.sluice.core.process.PipeEnd;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.ExplicitCheckpoint;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.PoisonException;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.publish.Publisher;

/** The thread that answers requests that need the store. Thread-safe. */
public final class Restarts implements AutoCloseable {
  private final CheckpointStorage storage;
  private final Restores restores;

  private final Lane lane;
  private final ExecutorService reader =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name(Lane.Role.RESTART.thread()).factory());

  /** The lookups that are not begun yet, by checkpoint number. */
  private final Map<Long, Lookup> lookups = new ConcurrentHashMap<>();

  /**
   * A lookup of a checkpoint, shared by all who asked before it began. At a restart each rank of a
   * job asks for several images, and a store may have many checkpoints. The reader of a series is a
   * new one each time, and knows only its own lookups.
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
        commit = Restarts.commit(by, number);
        images = null;
        reader = by;
      }
      return commit;
    }

    /** Returns an image of the checkpoint, which is held. */
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

  /** A task for a process that uses the store and takes time. */
  @FunctionalInterface
  private interface Task {
    void run() throws IOException;
  }

  /** A use of an image whose checkpoint is held. */
  @FunctionalInterface
  private interface Use {
    void of(CommittedImage image, Rebuilder rebuilder) throws IOException;
  }

  Restarts(
      final InFlight inFlight, final CheckpointStorage storage, final CommittedFiles committed) {
    this.lane = inFlight.lane(Lane.Role.RESTART);
    this.storage = storage;
    this.restores = new Restores(storage, committed::makeWhole);
  }

  public void list(final Caller caller) {
    execute(
        0,
        caller,
        () ->
            caller.answer(
                Reply.Checkpoints.newest(
                    storage
                        .publisher()
                        .read(reader -> reader.commits().stream().map(Commit::number).toList()))));
  }

  /** Answers with the number of the checkpoint of a name that was committed last. */
  public void find(final String name, final Caller caller) {
    execute(
        name.hashCode(),
        caller,
        () -> caller.answer(new Reply.Checkpoints(ask(reader -> List.of(number(reader, name))))));
  }

  private static long number(final CheckpointReader reader, final String name) throws IOException {
    return reader
        .find(name)
        .map(Commit::number)
        .orElseThrow(
            () ->
                new MissingException(
                    "no checkpoint called %s is committed".formatted(Quoting.name(name))));
  }

  /** Answers with the name of a checkpoint. */
  public void nameOf(final long number, final Caller caller) {
    execute(
        number,
        caller,
        () ->
            caller.answer(new Reply.Text(ask(reader -> commit(reader, number)).name().orElse(""))));
  }

  private static Commit commit(final CheckpointReader reader, final long number)
      throws IOException {
    return (number < 0 ? reader.newest() : reader.find(number))
        .orElseThrow(() -> new MissingException("no such committed checkpoint"));
  }

  /** Answers with a rebuilt copy of an image. */
  public void restart(final Request.Restart request, final Caller caller) {
    final Wanted wanted = wanted(request.checkpoint(), request.rank(), request.name());
    execute(wanted.id(), caller, () -> caller.answer(new Reply.Text(copy(wanted).toString())));
  }

  /**
   * Sends an image through a pipe of the process that asks. So the image takes no space, and the
   * process can fill its memory as it reads.
   *
   * @param caller caller, answered before the first byte
   */
  public void read(final Request.Read request, final ProcessIdentity process, final Caller caller) {
    final Wanted wanted = wanted(request.checkpoint(), request.rank(), request.name());
    execute(
        wanted.id(),
        caller,
        () -> {
          try (ImageStream stream =
              new ImageStream(PipeEnd.of(process.pid(), request.descriptor()), caller)) {
            send(wanted, stream);
          }
        });
  }

  /** Answers once all files of a checkpoint are in a directory. */
  public void restore(final Request.Restore request, final Caller caller) {
    restores.ask(request, caller, restore -> execute(request.hashCode(), restore, restore::run));
  }

  private void send(final Wanted wanted, final ImageStream stream) {
    try {
      use(wanted, stream::send);
    } catch (final IOException e) {
      stream.fail(failed(e));
    }
  }

  private record Wanted(Lookup lookup, String path, long id) {}

  private Wanted wanted(final long checkpoint, final int rank, final String name) {
    return new Wanted(
        lookups.computeIfAbsent(checkpoint, Lookup::new),
        ExplicitCheckpoint.path(rank, name),
        (checkpoint * 31 + rank) * 31 + name.hashCode());
  }

  private void execute(final long id, final Caller caller, final Task task) {
    reader.execute(
        () -> {
          final boolean fit = lane.begin(Subject.REQUEST, id, Lane.NO_SLOT, Lane.NO_IMAGE);
          if (fit) {
            run(task, caller);
          } else {
            caller.answer(failed(new PoisonException(Subject.REQUEST)));
          }
          lane.end();
          if (fit) {
            lane.passed(Subject.REQUEST, id);
          }
        });
  }

  private static void run(final Task task, final Caller caller) {
    Fault.strike(FaultPoint.RESTART);
    try {
      task.run();
    } catch (final IOException e) {
      caller.answer(failed(e));
    }
  }

  static Reply.Failed failed(final IOException e) {
    return switch (e) {
      case MissingException missing -> new Reply.Failed(Errno.ENOENT, missing.getMessage());
      case PosixException posix -> new Reply.Failed(posix.errno(), posix.getMessage());
      default -> new Reply.Failed(Errno.EIO, e.toString());
    };
  }

  /** An exception for a checkpoint or image that the store does not have. */
  private static final class MissingException extends IOException {
    private static final long serialVersionUID = 1;

    MissingException(final String message) {
      super(message);
    }
  }

  private Path copy(final Wanted wanted) throws IOException {
    try (NativeFile copy = storage.store().createImageFile()) {
      try {
        use(wanted, (image, rebuilder) -> rebuilder.rebuild(image, copy));
        return Path.of(copy.opened());
      } catch (final IOException e) {
        Names.delete(copy.opened());
        throw e;
      }
    }
  }

  private void use(final Wanted wanted, final Use use) throws IOException {
    this.<Void>ask(reader -> use(wanted, use, reader));
  }

  /** Asks this node's store, and the bucket where the store may lack a checkpoint. */
  private <T> T ask(final Publisher.Reading<T> question) throws IOException {
    try {
      return storage.publisher().read(question);
    } catch (final MissingException missing) {
      if (!storage.publisher().isContentWithStage()) {
        throw missing;
      }
      return storage.publisher().readBucket(question);
    }
  }

  private static Void use(final Wanted wanted, final Use use, final CheckpointReader reader)
      throws IOException {
    final Commit commit = wanted.lookup().commit(reader);
    if (!reader.whileHeld(commit, () -> useHeld(wanted, use))) {
      throw new MissingException("checkpoint %d was removed just now".formatted(commit.number()));
    }
    return null;
  }

  private static void useHeld(final Wanted wanted, final Use use) throws IOException {
    final Lookup lookup = wanted.lookup();
    final CommittedImage image = lookup.image(wanted.path());
    try (Rebuilder rebuilder = lookup.reader.rebuilder(lookup.commit, false)) {
      use.of(image, rebuilder);
    }
  }

  /** Waits until all requests are answered. */
  @Override
  public void close() {
    reader.close();
  }
}
