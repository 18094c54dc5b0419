package org.sluice.iop.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;
import org.sluice.core.segment.ChunkPool;
import org.sluice.core.segment.ChunkStateDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Segment;
import org.sluice.core.store.CheckpointStore;
import org.sluice.iop.checkpoint.Checkpoints;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
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
  private static final int OWNER_WRITES = 0200;
  private static final int MOST_LOOKS = 10;

  private final Ledger past;
  private final Segment segment;
  private final CheckpointStore store;
  private final ImageRegistry registry;
  private final CaptureDirectory capture;
  private final Attachments attachments;
  private final Rings rings;
  private final Drain drain;
  private final Settling settling;
  private final Openings openings;
  private final Checkpoints checkpoints;
  private Map<ImageKey, List<Path>> names;

  /** Each costs a walk through the capture directory, and most such files were deleted. */
  private int looksForNameless = 4;

  Resumption(
      final Ledger past,
      final Segment segment,
      final CheckpointStore store,
      final ImageRegistry registry,
      final CaptureDirectory capture,
      final Attachments attachments,
      final Rings rings,
      final Drain drain,
      final Settling settling,
      final Openings openings,
      final Checkpoints checkpoints) {
    this.past = past;
    this.segment = segment;
    this.store = store;
    this.registry = registry;
    this.capture = capture;
    this.attachments = attachments;
    this.rings = rings;
    this.drain = drain;
    this.settling = settling;
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
    checkpoints.commitComplete();
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
    final Optional<NativeFile> file = find(facts);
    final Image image = registry.resume(facts, file.isPresent() ? file.get() : nameless());
    if (file.isEmpty() && isMissed(facts)) {
      final String path = facts.admitted().path();
      image.fail(new IOException("its file cannot be found or opened any more: " + path));
    }
    if (facts.writtenBy() != null) {
      final Entry.Attached writer = facts.writtenBy();
      image.writtenBy(
          Attachment.ordinal(writer.generation(), writer.slot()), writer.rank(), writer.ranks());
    }
    image.abandoned(facts.isAbandoned());
    facts.openings().forEach((slot, times) -> openings.resume(attachments.at(slot), image, times));
    if (facts.created() != null) {
      store.keepImageFile(image.file());
      checkpoints.resumeByRequest(image);
    }
    try {
      drain.resume(image, facts);
    } catch (final IOException e) {
      image.fail(e);
    }
    facts.writers().forEach(slot -> drain.grant(slot, image));
  }

  /** One that has no name any more, and nobody open, still may have records in chunks. */
  private NativeFile nameless() throws IOException {
    final NativeFile file = store.createImageFile();
    Files.delete(file.opened());
    return file;
  }

  /** Whether somebody counts on the image's own file: a name, a process or a commit. */
  private boolean isMissed(final ImageFacts facts) {
    return names != null
            && names.getOrDefault(key(facts), List.of()).stream()
                .anyMatch(name -> mayBe(name, facts.admitted()))
        || facts.openings().keySet().stream()
            .anyMatch(slot -> attachments.at(slot).process().isAlive())
        || past.commits().stream()
            .flatMap(commit -> commit.members().stream())
            .anyMatch(part -> part.image() == facts.admitted().image());
  }

  private static ImageKey key(final ImageFacts facts) {
    return new ImageKey(facts.admitted().device(), facts.admitted().inode());
  }

  private Optional<NativeFile> find(final ImageFacts facts) throws IOException {
    final Entry.Admitted image = facts.admitted();
    Optional<NativeFile> file = open(Path.of(image.path()), image);
    for (final int slot : facts.openings().keySet()) {
      file = file.or(() -> openAsOpenedBy(attachments.at(slot).process().pid(), image));
    }
    return file.isPresent() || facts.created() != null ? file : findByName(facts);
  }

  /**
   * Programs go on renaming their files meanwhile, so a name may be old, and a file may have been
   * in none of the directories when they were read.
   */
  private Optional<NativeFile> findByName(final ImageFacts facts) throws IOException {
    if (names == null) {
      names = capture.names();
    }
    Optional<NativeFile> file = openByName(facts);
    for (int look = 0;
        file.isEmpty()
            && look < MOST_LOOKS
            && (names.containsKey(key(facts)) || looksForNameless-- > 0);
        look++) {
      names = capture.names();
      file = openByName(facts);
    }
    return file;
  }

  private Optional<NativeFile> openByName(final ImageFacts facts) {
    return names.getOrDefault(key(facts), List.of()).stream()
        .findFirst()
        .flatMap(path -> open(path, facts.admitted()));
  }

  /** Nobody held the file meanwhile, so that another one may have its inode number. */
  private static boolean isOf(final NativeFile file, final Entry.Admitted image) {
    return file.device() == image.device()
        && file.inode() == image.inode()
        && file.born() == image.born();
  }

  private static boolean mayBe(final Path path, final Entry.Admitted image) {
    try (NativeFile file = NativeFile.open(path)) {
      return isOf(file, image);
    } catch (final IOException unknown) {
      return true;
    }
  }

  private static Optional<NativeFile> open(final Path path, final Entry.Admitted image) {
    try {
      final NativeFile file = openForWriting(path, image);
      if (isOf(file, image)) {
        return Optional.of(file);
      }
      file.close();
    } catch (final IOException notThisOne) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  /** A program may have made the file read-only since the former I/O process opened it. */
  private static NativeFile openForWriting(final Path path, final Entry.Admitted image)
      throws IOException {
    try {
      return NativeFile.open(path, NativeFile.Flag.WRITE);
    } catch (final PosixException e) {
      if (e.errno() != Errno.EACCES) {
        throw e;
      }
      try (NativeFile readOnly = NativeFile.open(path)) {
        if (!isOf(readOnly, image)) {
          throw e;
        }
        final int mode = readOnly.mode();
        readOnly.chmod(mode | OWNER_WRITES);
        try {
          return NativeFile.open(path, NativeFile.Flag.WRITE);
        } finally {
          readOnly.chmod(mode);
        }
      }
    }
  }

  /** By way of a descriptor of a process that has it open, whatever became of its name. */
  private static Optional<NativeFile> openAsOpenedBy(final int pid, final Entry.Admitted image) {
    try (var descriptors = Files.newDirectoryStream(Path.of("/proc/%d/fd".formatted(pid)))) {
      for (final Path descriptor : descriptors) {
        if (Files.isRegularFile(descriptor)
            && image.inode() == (long) Files.getAttribute(descriptor, "unix:ino")) {
          final Optional<NativeFile> file = open(descriptor, image);
          if (file.isPresent()) {
            return file;
          }
        }
      }
    } catch (final IOException processIsGone) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  /** In the old order, with what the owners might write then; afterwards with what they may now. */
  private void drainTaken() {
    for (final Entry entry : past.pending()) {
      if (entry instanceof final Entry.Taken taken) {
        drain.resume(taken.slot(), taken.chunk(), taken.used());
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
      settling.makeDirect(image, false);
    } else if (facts.state() == ImageDescriptor.STATE_DIVERTED && facts.isDirect()) {
      image.state(ImageDescriptor.STATE_DIRECT);
    }
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
