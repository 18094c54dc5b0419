package org.sluice.iop.session;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.MissingException;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.service.Attachment;
import org.sluice.iop.service.Attachments;
import org.sluice.iop.service.Closings;
import org.sluice.iop.service.SessionState;
import org.sluice.iop.trigger.Checkpoints;

/**
 * The continuation of a session whose I/O process was killed. The journal counts, whatever the
 * segment says. Records taken but not drained go into the drain in the old order. Then all steps
 * are repeated that a kill can leave half done, since nobody was told that they were done.
 *
 * <p>Before the service thread runs, on the thread that starts it.
 */
final class Resumption {
  private final CapturedFiles files;
  private final PosixStore store;
  private final Drain drain;
  private final SessionState state;
  private final ImageFiles imageFiles;
  private final Attachments attachments;
  private final Closings closings;
  private final Checkpoints checkpoints;

  Resumption(
      final CapturedFiles files,
      final PosixStore store,
      final Drain drain,
      final Checkpoints checkpoints,
      final SessionState state,
      final Attachments attachments,
      final Closings closings) {
    this.files = files;
    this.store = store;
    this.drain = drain;
    this.state = state;
    this.imageFiles =
        new ImageFiles(files.capture()::names, files.registry().descriptors().links()::of);
    this.attachments = attachments;
    this.closings = closings;
    this.checkpoints = checkpoints;
  }

  void resume() throws IOException {
    final List<Image> images = state.checkpoints().images().all();
    drain.giveBack(state.backlog().drained());
    for (final Writer process : state.checkpoints().images().writers()) {
      attachments.resume(process, state.backlog());
    }
    for (final Image image : images) {
      resume(image);
    }
    files.registry().publish();
    checkpoints.resume();
    drainTaken(images);
    images.forEach(this::finishChange);
    checkpoints.commitAgain();
  }

  /** Takes the last steps, once it is known which files programs outside may have open. */
  void finish() {
    checkpoints.explicit().commitComplete();
    attachments.endDead();
    files.registry().all().forEach(closings::look);
  }

  private void resume(final Image image) throws IOException {
    if (image.hasRested()) {
      files.registry().resumeAtRest(image);
      store.keepImageFile(image.opened());
    } else {
      open(image);
    }
    try {
      drain.resume(image);
    } catch (final IOException e) {
      image.fail(e);
    }
    image.granted().forEach(slot -> drain.grant(slot, image));
  }

  private void open(final Image image) throws IOException {
    final NativeFile file = openAgain(image);
    image.letGo(file.isLetGo());
    openers(image).forEach(opener -> resume(opener, image));
    if (image.created() != null) {
      store.keepImageFile(file);
    }
  }

  private NativeFile openAgain(final Image image) throws IOException {
    if (!image.untaken().isEmpty()) {
      return lost(image, new MissingException(image.untaken()));
    }
    try {
      final NativeFile file = find(image);
      files.registry().resume(image, file);
      return file;
    } catch (final IOException e) {
      return lost(image, new IOException("its file cannot be opened again: " + e.getMessage(), e));
    }
  }

  private NativeFile lost(final Image image, final IOException failure) throws IOException {
    final NativeFile none = nameless();
    files.registry().resume(image, none);
    image.fail(failure);
    return none;
  }

  private static void resume(final Attachment opener, final Image image) {
    opener.images().put(image, System.nanoTime());
    opener.granted(image);
    if (image.state() == ImageDescriptor.STATE_DIVERTED && image.openers().slots().size() == 1) {
      image.openers().writer(opener.index());
    }
  }

  private List<Attachment> openers(final Image image) {
    return image.openers().slots().stream().map(attachments::at).toList();
  }

  private NativeFile find(final Image image) throws IOException {
    if (image.created() != null) {
      return imageFiles.get(image.admitted());
    }
    final List<ProcessIdentity> openers = openers(image).stream().map(Attachment::process).toList();
    final Optional<NativeFile> file = imageFiles.find(image.admitted(), openers);
    return file.isPresent() ? opened(file.get(), image) : nameless();
  }

  /**
   * Returns a file fit for the bytes to come. A direct image's file that was let go stays so while
   * programs have it open: they hold a lease then. Other images may still get bytes, so the I/O
   * process waits for the holder of the lease.
   */
  private static NativeFile opened(final NativeFile file, final Image image) throws PosixException {
    final boolean stays = image.log().isDirect() && !image.openers().isEmpty();
    if (file.isLetGo() && !stays) {
      file.takeBack(Long.MAX_VALUE);
    }
    return file;
  }

  /** Returns a nameless file for an image that was deleted: chunks may still have its records. */
  private NativeFile nameless() throws IOException {
    final NativeFile file = store.createImageFile();
    Names.delete(file.opened());
    return file;
  }

  /**
   * Drains the taken chunks in the old order, with the owners' grants of that time. Afterwards
   * grants are revoked that no longer hold.
   */
  private void drainTaken(final List<Image> images) {
    for (final Entry entry : state.backlog().pending()) {
      if (entry instanceof final Entry.Taken taken) {
        drain.resume(taken);
      } else if (entry instanceof final Entry.Emptying emptying
          && files.registry().find(emptying.image()) != null) {
        drain.resumeEmpty(files.registry().find(emptying.image()), emptying.fileToo());
      }
    }
    for (final Image image : images) {
      image.granted().stream()
          .filter(slot -> !image.openers().has(slot))
          .forEach(slot -> drain.revoke(slot, image));
    }
  }

  private void finishChange(final Image image) {
    if (image.state() == ImageDescriptor.STATE_DIRECT && !image.log().isDirect()) {
      image.state(ImageDescriptor.STATE_DIRECT);
      drain.makeDirect(image, unpublished(image), false);
    } else if (image.state() == ImageDescriptor.STATE_DIVERTED && image.log().isDirect()) {
      image.state(ImageDescriptor.STATE_DIRECT);
    } else if (image.state() == ImageDescriptor.STATE_DIRECT) {
      image.settled();
    }
  }

  /**
   * Returns the unpublished chunks of all processes that have an image open. The journal does not
   * say which of them logged it.
   */
  private int[] unpublished(final Image image) {
    return openers(image).stream()
        .flatMapToInt(opener -> IntStream.of(attachments.unpublished(opener)))
        .toArray();
  }
}
