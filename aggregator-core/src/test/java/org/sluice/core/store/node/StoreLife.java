package org.sluice.core.store.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommitSource;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.ImageAttributes;
import org.sluice.core.store.model.JobCoverage;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.RankSet;

/**
 * Sessions that write checkpoints to a store and keep two, each as random says: several images to a
 * chunk, some bytes direct, containers used again, numbers committed again, commits that fail.
 * Knows at every position of the disk's log which checkpoints there have to be, which there may be,
 * and every byte of them.
 */
final class StoreLife {
  private static final int CHUNK_LENGTH = 8192;
  private static final int MOST_BYTES = 1500;
  private static final int KEPT = 2;
  private static final String JOB = "attempt ";

  private final Path root;
  private final LoggedDisk disk;
  private final Random random;
  private final List<Attempt> attempts = new ArrayList<>();
  private PosixStore store;
  private int nextFile;

  /** Whether some bytes of the next checkpoint go to its images' own files. */
  private boolean direct;

  /** A commit that was begun, and the positions of the log where something became of it. */
  private static final class Attempt {
    private final Draft draft;
    private final Map<String, ByteBuffer> images;
    private final int begun;
    private int durable = Integer.MAX_VALUE;
    private int doomed = Integer.MAX_VALUE;
    private int gone = Integer.MAX_VALUE;
    private Commit commit;

    Attempt(final Draft draft, final Map<String, ByteBuffer> images, final int begun) {
      this.draft = draft;
      this.images = images;
      this.begun = begun;
    }

    /** The same behind a power cut: what that left is durable, what it took is gone for good. */
    Attempt after(final Optional<Commit> left) {
      final Attempt after = new Attempt(draft, images, left.isPresent() ? -1 : Integer.MAX_VALUE);
      after.durable = left.isPresent() ? 0 : Integer.MAX_VALUE;
      after.commit = left.orElse(null);
      return after;
    }

    boolean isThere(final int cut) {
      return durable <= cut && cut <= doomed;
    }

    long number() {
      return draft.number();
    }

    /** Whether a commit is this one, or supersedes it. */
    boolean isKeptBy(final Commit other) {
      return other.number() == number()
          && other.identity().sequence() >= commit.identity().sequence();
    }

    boolean mayBeThere(final int cut) {
      return begun < cut && cut < gone;
    }
  }

  /** An image as it is written. */
  private final class Writing {
    private final int id;
    private final NativeFile file;
    private final List<ChunkLocation> chunks = new ArrayList<>();
    private byte[] content = {};

    Writing(final int id) throws IOException {
      this.id = id;
      this.file = disk.open(root.resolve("image" + nextFile++), Flag.WRITE, Flag.CREATE);
    }

    void put(final int offset, final byte[] bytes) {
      content = Arrays.copyOf(content, Math.max(content.length, offset + bytes.length));
      System.arraycopy(bytes, 0, content, offset, bytes.length);
    }
  }

  StoreLife(final LoggedDisk disk, final Random random) {
    this.root = disk.directory();
    this.disk = disk;
    this.random = random;
  }

  /**
   * The life that follows a power cut.
   *
   * @param left a disk with what that left
   */
  StoreLife after(final LoggedDisk left) {
    final StoreLife next = new StoreLife(left, random);
    next.nextFile = nextFile;
    final List<Commit> commits = new Remains(next.directory()).commits();
    for (final Attempt attempt : attempts) {
      next.attempts.add(
          attempt.after(commits.stream().filter(c -> attemptOf(c) == attempt).findFirst()));
    }
    return next;
  }

  private Path directory() {
    return root.resolve("store");
  }

  /**
   * A session, which may be killed, and maybe another one that goes on then.
   *
   * @param changes so many of the disk are before that
   */
  void live(final int checkpoints, final int changes) throws IOException {
    try (PosixStore other = disk.createStore()) {
      session(checkpoints, changes);
      if (random.nextBoolean()) {
        age();
        store = other;
        store.collectGarbage(false, unreadable -> {});
        if (random.nextBoolean()) {
          retain(1); // before it has a log
        }
        checkpoint(layout());
      }
    }
  }

  private void session(final int checkpoints, final int changes) throws IOException {
    disk.stopAt(disk.position() + changes);
    disk.linkFiles(random.nextInt(4) != 0);
    if (random.nextInt(3) == 0) {
      disk.stopAfterLossOf("manifest.json");
    }
    if (random.nextInt(3) == 0) {
      disk.failOnce(FaultPoint.LOG_FSYNC);
    }
    age();
    try (PosixStore created = disk.createStore()) {
      store = created;
      if (random.nextBoolean()) {
        store.collectGarbage(false, unreadable -> {});
      }
      final Layout layout = layout();
      for (int i = 0; i < checkpoints; i++) {
        prepare();
        checkpoint(layout);
      }
      store.discardSpares();
    } catch (final LoggedDisk.Stopped killed) {
      assertThat(disk.position()).isGreaterThan(0);
    } finally {
      disk.endProcess();
    }
  }

  /** Now and then the commit has to make the log, or that cannot be made. */
  private void prepare() throws IOException {
    if (random.nextInt(3) != 0) {
      try {
        store.prepareCommits();
      } catch (final PosixException failed) {
        assertThat(failed.errno()).isEqualTo(Errno.EIO);
      }
    }
  }

  private Layout layout() {
    return random.nextInt(4) == 0 ? Layout.FILES : Layout.CONTAINER;
  }

  /** Containers of sessions before are old enough to be used again. */
  private void age() throws IOException {
    if (Files.isDirectory(directory().resolve("containers"))) {
      try (Stream<Path> containers = Files.list(directory().resolve("containers"))) {
        for (final Path container : containers.toList()) {
          Files.setLastModifiedTime(container, FileTime.from(Instant.EPOCH));
        }
      }
    }
  }

  private void checkpoint(final Layout layout) throws IOException {
    final boolean logs = layout == Layout.CONTAINER;
    direct = random.nextBoolean();
    final List<Container> containers = new ArrayList<>();
    final List<Writing> images = new ArrayList<>();
    for (int id = 1; id <= 1 + random.nextInt(3); id++) {
      images.add(new Writing(id));
    }
    for (int part = 0; part < 1 + random.nextInt(2); part++) {
      if (logs) {
        containers.add(store.createContainer(StoreFixture.SESSION, "node1"));
        log(images, containers.getLast());
      } else {
        for (final Writing image : images) {
          direct(image, random.nextInt(MOST_BYTES));
        }
      }
    }
    commit(layout, images);
    for (final Container container : containers) {
      container.close();
    }
    for (final Writing image : images) {
      image.file.close();
    }
    retain(KEPT);
  }

  private void log(final List<Writing> images, final Container container) throws IOException {
    for (int chunk = 0; chunk < 1 + random.nextInt(3); chunk++) {
      final ChunkBuilder builder = new ChunkBuilder(CHUNK_LENGTH, StoreFixture.SESSION);
      final List<Writing> written = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        final Writing image = images.get(random.nextInt(images.size()));
        if (builder.fits(MOST_BYTES)) {
          write(image, builder);
          written.add(image);
        }
      }
      final ChunkLocation location = StoreFixture.append(container, builder);
      written.stream().distinct().forEach(image -> image.chunks.add(location));
    }
  }

  private void write(final Writing image, final ChunkBuilder chunk) throws IOException {
    switch (random.nextInt(direct ? 8 : 5)) {
      case 5 -> {
        final int size = random.nextInt(image.content.length + 1);
        image.content = Arrays.copyOf(image.content, size);
        image.file.truncate(size);
        chunk.truncate(image.id, size);
      }
      case 6, 7 -> {
        final int offset = random.nextInt(MOST_BYTES);
        chunk.direct(image.id, offset, direct(image, offset));
      }
      default -> {
        final int offset = random.nextInt(MOST_BYTES);
        final byte[] bytes = bytes();
        image.put(offset, bytes);
        chunk.write(image.id, offset, bytes);
      }
    }
  }

  /** Writes to the image's own file. */
  private int direct(final Writing image, final int offset) throws IOException {
    final byte[] bytes = bytes();
    image.put(offset, bytes);
    try (Arena arena = Arena.ofConfined()) {
      final long address = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes).address();
      image.file.pwrite(address, bytes.length, offset);
    }
    return bytes.length;
  }

  private byte[] bytes() {
    final byte[] bytes = new byte[1 + random.nextInt(MOST_BYTES)];
    random.nextBytes(bytes);
    return bytes;
  }

  private void commit(final Layout layout, final List<Writing> images) throws IOException {
    final List<DraftImage> drafts = new ArrayList<>();
    final Map<String, ByteBuffer> content = new HashMap<>();
    for (final Writing image : images) {
      final String path = "image" + image.id;
      final long size = image.content.length;
      drafts.add(
          new DraftImage(
              new ImageAttributes(path, image.id, 0, 0600, size, image.id),
              image.chunks,
              FileSource.of(image.file),
              false,
              null));
      content.put(path, ByteBuffer.wrap(image.content));
    }
    final String job = JOB + attempts.size();
    final Draft draft =
        new Draft(
            number(),
            "",
            new CommitSource("node1", job, Origin.UNKNOWN, StoreFixture.SESSION),
            new JobCoverage(0, RankSet.NONE),
            layout,
            Completion.COUNT,
            drafts);
    final Attempt attempt = new Attempt(draft, content, disk.position());
    attempts.add(attempt);
    final List<Attempt> older = there().filter(a -> a.number() == attempt.number()).toList();
    try {
      store.commit(
          draft,
          commit -> {
            attempt.commit = commit;
            attempt.durable = disk.position();
            older.forEach(superseded -> superseded.doomed = disk.position());
          });
      older.forEach(superseded -> superseded.gone = disk.position());
    } catch (final PosixException failed) {
      assertThat(failed.errno()).isEqualTo(Errno.EIO);
      attempt.gone = disk.position();
    }
  }

  /** Now and then one that is there already. */
  private long number() {
    final List<Attempt> there = there().toList();
    return random.nextInt(4) == 0 && !there.isEmpty()
        ? there.get(random.nextInt(there.size())).number()
        : attempts.stream().mapToLong(Attempt::number).max().orElse(0) + 1;
  }

  private Stream<Attempt> there() {
    return attempts.stream().filter(attempt -> attempt.isThere(disk.position()));
  }

  private void retain(final int kept) throws IOException {
    final List<Attempt> there = there().toList();
    for (final Attempt oldest : there.subList(0, Math.max(0, there.size() - kept))) {
      oldest.doomed = disk.position();
      store.remove(oldest.commit);
      oldest.gone = disk.position();
    }
  }

  /**
   * Looks at what is left of the store.
   *
   * @param left where
   * @param cut the position of the disk's log where the power failed
   * @return what is wrong
   */
  List<String> faults(final Path left, final int cut) {
    final Remains remains = new Remains(left);
    for (final Commit commit : remains.commits()) {
      final Attempt attempt = attemptOf(commit);
      if (!attempt.mayBeThere(cut)) {
        remains.fault(commit.source().job() + " is there, but was removed");
      }
      if (!remains.images(commit).equals(attempt.images)) {
        remains.fault(commit.source().job() + " has wrong bytes");
      }
    }
    attempts.stream()
        .filter(attempt -> attempt.isThere(cut))
        .filter(attempt -> remains.commits().stream().noneMatch(attempt::isKeptBy))
        .forEach(attempt -> remains.fault(attempt.draft.source().job() + " is lost"));
    remains.cleanUp();
    return remains.faults();
  }

  private Attempt attemptOf(final Commit commit) {
    return attempts.get(Integer.parseInt(commit.source().job().substring(JOB.length())));
  }
}
