package org.sluice.iop.service;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;
import org.sluice.core.segment.ChunkPool;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Segment;
import org.sluice.core.store.CheckpointStore;
import org.sluice.iop.checkpoint.Checkpoints;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.ImageFacts;
import org.sluice.iop.journal.Ledger;

/**
 * Goes on where a killed I/O process left off. What it wrote down counts, whatever the segment
 * says; what it had taken but not drained goes into the drain in the old order, then what only a
 * kill can leave half done is done again, since nobody was told that it was done.
 *
 * <p>Before the service thread runs, on the thread that starts it.
 */
final class Resumption {
  private final Ledger past;
  private final Segment segment;
  private final CheckpointStore store;
  private final ImageRegistry registry;
  private final ImageFiles files;
  private final Attachments attachments;
  private final Rings rings;
  private final Drain drain;
  private final Openings openings;
  private final Checkpoints checkpoints;

  Resumption(
      final Ledger past,
      final Segment segment,
      final CheckpointStore store,
      final ImageRegistry registry,
      final CaptureDirectory capture,
      final Attachments attachments,
      final Rings rings,
      final Drain drain,
      final Openings openings,
      final Checkpoints checkpoints) {
    this.past = past;
    this.segment = segment;
    this.store = store;
    this.registry = registry;
    this.files = new ImageFiles(capture);
    this.attachments = attachments;
    this.rings = rings;
    this.drain = drain;
    this.openings = openings;
    this.checkpoints = checkpoints;
  }

  void resume() throws IOException {
    releaseDrained();
    for (final Entry.Attached process : past.slots()) {
      attachments.resume(process, past.position(process.slot()), past.lastRequest(process.slot()));
    }
    for (final ImageFacts facts : past.images()) {
      resume(facts);
    }
    registry.publish(past.lastImage());
    checkpoints.resume(past);
    drainTaken();
    past.images().forEach(this::finishChange);
    commitAgain();
    checkpoints.explicit().commitComplete();
    attachments.endDead();
    registry.all().forEach(openings::look);
  }

  /** A chunk may have been written, but not yet been given back. */
  private void releaseDrained() {
    final ChunkPool pool = segment.chunkPool();
    past.drained()
        .forEach(
            (chunk, generation) -> {
              final long word = pool.word(chunk);
              if (ChunkStateDescriptor.state(word) == ChunkStateDescriptor.PUBLISHED
                  && ChunkStateDescriptor.generation(word) == generation) {
                pool.release(chunk, word);
              }
            });
  }

  private void resume(final ImageFacts facts) throws IOException {
    final Image image = enter(facts);
    if (facts.writtenBy() != null) {
      image.writtenBy(attachments.writer(facts));
    }
    image.abandoned(facts.isAbandoned());
    image.letGo(image.file().isLetGo());
    facts.openings().forEach((slot, times) -> openings.resume(attachments.at(slot), image, times));
    if (facts.created() != null) {
      store.keepImageFile(image.file());
      checkpoints.explicit().enter(image);
    }
    try {
      drain.resume(image, facts);
    } catch (final IOException e) {
      image.fail(e);
    }
    facts.writers().forEach(slot -> drain.grant(slot, image));
  }

  private Image enter(final ImageFacts facts) throws IOException {
    try {
      return registry.resume(facts, find(facts));
    } catch (final IOException e) {
      final Image image = registry.resume(facts, nameless());
      image.fail(new IOException("its file cannot be opened again: " + e.getMessage(), e));
      return image;
    }
  }

  private NativeFile find(final ImageFacts facts) throws IOException {
    if (facts.created() != null) {
      return files.get(facts.admitted());
    }
    final List<ProcessIdentity> openers =
        facts.openings().keySet().stream().map(slot -> attachments.at(slot).process()).toList();
    final Optional<NativeFile> file = files.find(facts.admitted(), openers);
    return file.isPresent() ? opened(file.get(), facts) : nameless();
  }

  /**
   * One that is let go of stays so while its programs have it open, who hold a lease then; into any
   * other bytes may still have to come, so that whoever holds the lease is waited for.
   */
  private static NativeFile opened(final NativeFile file, final ImageFacts facts)
      throws PosixException {
    final boolean stays = facts.isDirect() && !facts.openings().isEmpty();
    if (file.isLetGo() && !stays) {
      file.takeBack(Long.MAX_VALUE);
    }
    return file;
  }

  /** For one that was deleted; chunks may still have records of it. */
  private NativeFile nameless() throws IOException {
    final NativeFile file = store.createImageFile();
    Files.delete(file.opened());
    return file;
  }

  /** In the old order, with what the owners might write then; afterwards with what they may now. */
  private void drainTaken() {
    for (final Entry entry : past.pending()) {
      if (entry instanceof final Entry.Taken taken) {
        drain.resume(taken);
      } else if (entry instanceof final Entry.Emptying emptying
          && registry.find(emptying.image()) != null) {
        drain.resumeEmpty(registry.find(emptying.image()), emptying.fileToo());
      }
    }
    for (final ImageFacts facts : past.images()) {
      final Image image = registry.find(facts.admitted().image());
      for (final int slot : facts.writers()) {
        if (!image.openers().has(slot)) {
          drain.revoke(slot, image);
        }
      }
    }
  }

  /** An image that was on its way from one state to another. */
  private void finishChange(final ImageFacts facts) {
    final Image image = registry.find(facts.admitted().image());
    if (facts.state() == ImageDescriptor.STATE_DIRECT && !facts.isDirect()) {
      image.state(ImageDescriptor.STATE_DIRECT);
      drain.makeDirect(image, unpublished(facts), false);
    } else if (facts.state() == ImageDescriptor.STATE_DIVERTED && facts.isDirect()) {
      image.state(ImageDescriptor.STATE_DIRECT);
    }
  }

  /** Of all that have it open: it is not known any more who of them logged it. */
  private int[] unpublished(final ImageFacts facts) {
    return facts.openings().keySet().stream()
        .map(attachments::at)
        .flatMapToInt(opener -> IntStream.of(rings.unpublished(opener)))
        .toArray();
  }

  private void commitAgain() {
    final Map<Image, Integer> before = new HashMap<>();
    for (final ImageFacts facts : past.images()) {
      before.put(
          registry.find(facts.admitted().image()),
          facts.isDirect() ? ImageDescriptor.STATE_DIRECT : ImageDescriptor.STATE_DIVERTED);
    }
    for (final Entry.Committing commit : past.commits()) {
      final Map<Image, Integer> its = new HashMap<>(before);
      its.keySet()
          .removeIf(
              image -> commit.members().stream().noneMatch(part -> part.image() == image.id()));
      checkpoints.commitAgain(commit, its);
    }
  }
}
