package org.sluice.core.store.node;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.sluice.core.fault.Fault;
import org.sluice.core.store.directory.CheckpointDirectory;
import org.sluice.core.store.directory.StoreDirectory;
import org.sluice.core.store.format.LogRecord;
import org.sluice.core.store.format.ManifestCodec;
import org.sluice.core.store.log.CommitLogs;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;

/**
 * The way by which drafts become commits of a store. The lock is held while a checkpoint begins and
 * while it is published, not while its files are written. Thread-safe.
 */
final class Publication {
  private final StoreDirectory directory;
  private final StoreLock lock;
  private final Catalogue catalogue;
  private final CommitLogs logs;
  private final Garbage garbage;
  private final SessionFiles files;

  Publication(
      final StoreDirectory directory,
      final StoreLock lock,
      final Catalogue catalogue,
      final CommitLogs logs,
      final Garbage garbage,
      final SessionFiles files) {
    this.directory = directory;
    this.lock = lock;
    this.catalogue = catalogue;
    this.logs = logs;
    this.garbage = garbage;
    this.files = files;
  }

  void commit(final Draft draft, final Consumer<Commit> durable) throws IOException {
    final Optional<Commit> base = draft.base();
    if (base.isEmpty()) {
      commitHeld(draft, durable);
      return;
    }
    final CheckpointDirectory held = directory.checkpoint(base.get().number(), base.get().id());
    if (!held.whileHeld(() -> commitHeld(draft, durable))) {
      throw new IOException(
          "checkpoint %d, which has bytes of checkpoint %d, is not there any more"
              .formatted(base.get().number(), draft.number()));
    }
  }

  /** No process removes the earlier checkpoint meanwhile that has bytes of it. */
  private void commitHeld(final Draft draft, final Consumer<Commit> durable) throws IOException {
    final CommitWriter writer = new CommitWriter(directory, draft);
    for (final long id : CommitWriter.containers(draft)) {
      files.sync(id);
    }
    // Taken back under the lock, as others sweep it as soon as its draft is deleted.
    final List<CommittedImage> images =
        orElse(() -> lock.hold(() -> abandon(writer)), () -> prepare(writer));
    lock.hold(
        () -> {
          final Commit commit = orElse(() -> abandon(writer), () -> publish(writer, images));
          catalogue.committed(commit);
          durable.accept(commit);
          garbage.supersede(commit);
        });
  }

  private List<CommittedImage> prepare(final CommitWriter writer) throws IOException {
    if (writer.hasOwnFiles()) {
      lock.hold(() -> begin(writer));
    }
    return writer.images();
  }

  private void begin(final CommitWriter writer) throws IOException {
    catalogue.changing();
    writer.begin();
    catalogue.began(writer.directory());
  }

  /**
   * Publishes a commit by a record of the log. An index that is too long for that is a file of its
   * own before.
   */
  private Commit publish(final CommitWriter writer, final List<CommittedImage> images)
      throws IOException {
    catalogue.changing();
    final Commit commit = writer.commit(images, catalogue.nextSequence(), catalogue.last());
    final byte[] manifest = ManifestCodec.encode(commit);
    byte[] index = writer.index(images);
    if (!logs.takes(manifest, index)) {
      if (!writer.hasDirectory()) {
        begin(writer);
      }
      writer.writeIndex(index);
      index = LogRecord.NONE;
    }
    logs.append(writer.directory(), manifest, index);
    writer.close();
    return commit;
  }

  boolean markIncomplete(final CheckpointDirectory checkpoint) throws IOException {
    return lock.hold(
        () -> {
          logs.retire(checkpoint); // the mark needs a durable directory
          if (!checkpoint.isCommitted()) {
            return false;
          }
          checkpoint.markIncomplete();
          return true;
        });
  }

  /** Removes the beginnings of a commit. Nobody counts on them, so nothing changes. */
  private void abandon(final CommitWriter writer) throws IOException {
    try (writer) {
      logs.makeNamesDurable(); // a log that has failed must not come back without its files
      if (!logs.mayHave(writer.directory())) {
        writer.directory().delete();
      }
    }
    catalogue.removed(writer.directory());
  }

  private static <T> T orElse(final Fault.Step<IOException> undoing, final StoreLock.Step<T> step)
      throws IOException {
    try {
      return step.run();
    } catch (final IOException e) {
      try {
        undoing.run();
      } catch (final IOException further) {
        e.addSuppressed(further);
      }
      throw e;
    }
  }
}
