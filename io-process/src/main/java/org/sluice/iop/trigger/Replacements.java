package org.sluice.iop.trigger;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.sluice.core.libc.Errno;
import org.sluice.core.posix.Extent;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.request.Reply;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.node.ImageOverlay;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.drain.ImageWork;
import org.sluice.iop.group.Groups;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.NotCapturedException;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/**
 * The changes of committed images. Either another file takes an image's place, or the checkpoints
 * that have the image get a copy. The last stage does both, behind a commit that may be under way.
 * Service thread only.
 */
public final class Replacements {
  private static final int COPY_LENGTH = 1 << 20;

  private final Decisions decisions;
  private final CheckpointStorage storage;
  private final ImageRegistry registry;
  private final Drain drain;
  private final Statistics statistics;
  private final Groups groups;

  public Replacements(
      final Decisions decisions,
      final CheckpointStorage storage,
      final ImageRegistry registry,
      final Drain drain,
      final Statistics statistics,
      final Groups groups) {
    this.decisions = decisions;
    this.storage = storage;
    this.registry = registry;
    this.drain = drain;
    this.statistics = statistics;
    this.groups = groups;
  }

  /**
   * Replaces a committed image's file by a fresh one, so that the committed inode stays as it is.
   *
   * @param empty whether the file is to be empty, otherwise it has the image's bytes
   */
  public void replace(
      final Image image,
      final String path,
      final boolean empty,
      final Caller caller,
      final Reply reply) {
    drain.publish(new Replacement(image, path, empty, caller, reply));
  }

  /**
   * Lets a committed image be changed in its place. The checkpoints that have the image get a copy
   * of its own file.
   *
   * @param image an image that is committed, or about to be
   * @param failed receiver of a failure; any thread
   */
  public void unshare(final Image image, final Runnable proceed, final Consumer<Exception> failed) {
    drain.publish(
        new ImageWork(image, ImageWork.Kind.UNSHARE) {
          @Override
          public void commit() throws IOException {
            storage.store().unshare(image.file());
            drain.service().execute(proceed);
          }

          @Override
          public void fail(final IOException failure) {
            failed.accept(failure);
          }
        });
  }

  /** A fresh file on its way to the place of a committed image. */
  private final class Replacement extends ImageWork {
    private final String path;
    private final boolean empty;
    private final Caller caller;
    private final Reply reply;
    private List<ChunkLocation> chunks;
    private long size;

    Replacement(
        final Image image,
        final String path,
        final boolean empty,
        final Caller caller,
        final Reply reply) {
      super(image, Kind.REPLACE);
      this.path = path;
      this.empty = empty;
      this.caller = caller;
      this.reply = reply;
    }

    @Override
    public void write() throws IOException {
      chunks = image.log().chunks();
      size = image.drainedSize();
    }

    @Override
    public void commit() throws IOException {
      final Optional<NativeFile> fresh = image.key().isAt(path) ? replace() : Optional.empty();
      drain.service().execute(() -> end(fresh));
    }

    private Optional<NativeFile> replace() throws IOException {
      final String temporary =
          FileName.sibling(path, ".sluice-%016x".formatted(image.key().inode()));
      Names.delete(temporary); // left by a killed process, or a user's symbolic link
      NativeFile fresh = null;
      try {
        make(temporary);
        fresh = empty ? null : NativeFile.openQuietly(temporary);
        Names.rename(temporary, path);
        return Optional.ofNullable(fresh);
      } catch (final IOException e) {
        CloseHelper.quietClose(fresh);
        Names.delete(temporary);
        throw e;
      }
    }

    /**
     * The file is closed before it gets the image's name, so that watchers of the name see no
     * close.
     */
    private void make(final String temporary) throws IOException {
      try (NativeFile fresh =
          NativeFile.open(
              temporary,
              NativeFile.Flag.WRITE,
              NativeFile.Flag.CREATE,
              NativeFile.Flag.EXCLUSIVE)) {
        fresh.chmod(image.held().status().mode());
        if (!empty) {
          rebuild(fresh);
        }
      }
    }

    private void rebuild(final NativeFile fresh) throws IOException {
      try (Arena arena = Arena.ofConfined()) {
        final MemorySegment buffer = arena.allocate(COPY_LENGTH);
        for (final Extent extent : image.file().dataExtents()) {
          for (long at = extent.offset(); at < extent.end(); at += COPY_LENGTH) {
            final long length = Math.min(COPY_LENGTH, extent.end() - at);
            final long count = image.file().pread(buffer.address(), length, at);
            fresh.pwrite(buffer.address(), count, at);
          }
        }
      }
      fresh.truncate(size);
      final ImageOverlay overlay = new ImageOverlay(image.id(), size, fresh::pwrite);
      storage.store().overlay(storage.sessionId(), chunks, overlay);
    }

    @Override
    public void fail(final IOException failure) {
      caller.answer(new Reply.Failed(Errno.EIO, failure.getMessage()));
    }

    /** Answers the caller. Service thread. */
    private void end(final Optional<NativeFile> fresh) {
      final Optional<Image> copy = fresh.flatMap(this::adopt);
      decisions.decide(new Entry.Replaced(image.id(), copy.map(Image::id).orElse(0)));
      caller.answer(reply);
    }

    /** Makes an image of the rebuilt copy, so that it is committed again if it is rewritten. */
    private Optional<Image> adopt(final NativeFile file) {
      final ImageKey key = ImageKey.of(file);
      try {
        final Image copy = registry.admit(file, ImageDescriptor.STATE_DIRECT);
        copy.direct(Reason.OTHER);
        drain.makeDirect(copy, new int[0], false);
        return Optional.of(copy);
      } catch (final NotCapturedException e) {
        statistics.leftPlain(image.key(), e.reason());
        groups.lacks(key, path, e.reason());
        Warnings.warn(
            "%s, which was committed and is written again, will be a plain file: %s"
                .formatted(image.opened(), e.getMessage()));
        return Optional.empty();
      }
    }
  }
}
