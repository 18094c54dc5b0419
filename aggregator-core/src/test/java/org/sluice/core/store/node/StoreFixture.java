package org.sluice.core.store.node;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.sluice.core.chunk.ChunkBuilder;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.disk.WritesInFlight;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommitSource;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.ImageAttributes;
import org.sluice.core.store.model.JobCoverage;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.Pieces;
import org.sluice.core.store.model.RankSet;

/** Fills a store the way an I/O process does. */
public final class StoreFixture implements AutoCloseable {
  public static final long SESSION = 77;
  public static final int CHUNK_LENGTH = 16384;

  private final Disk disk;
  private final PosixStore store;
  private final Container container;
  private final Path captured;
  private final List<NativeFile> files = new ArrayList<>();
  private List<DraftImage> images = new ArrayList<>();
  private int nextImage = 1;
  private int mode = 0640;

  /**
   * Creates a store.
   *
   * @param directory where it goes
   * @param captured an existing directory for the images' own files
   */
  public StoreFixture(final Path directory, final Path captured) throws IOException {
    this(directory, captured, Disk.REAL);
  }

  StoreFixture(final Path directory, final Path captured, final Disk disk) throws IOException {
    this(directory, captured, disk, false);
  }

  /** A node's part of a series. */
  static StoreFixture ofPart(final Path directory, final Path captured) throws IOException {
    return new StoreFixture(directory, captured, Disk.REAL, true);
  }

  private StoreFixture(
      final Path directory, final Path captured, final Disk disk, final boolean part)
      throws IOException {
    this.disk = disk;
    this.store = PosixStore.create(directory, disk, part);
    this.container = store.createContainer(SESSION, "node1");
    this.captured = captured;
  }

  public PosixStore store() {
    return store;
  }

  public Container container() {
    return container;
  }

  public ChunkBuilder chunk() {
    return new ChunkBuilder(CHUNK_LENGTH, SESSION);
  }

  public ChunkLocation append(final ChunkBuilder chunk) throws IOException {
    return append(container, chunk);
  }

  static ChunkLocation append(final Container container, final ChunkBuilder chunk)
      throws IOException {
    final ChunkLocation location = container.place(chunk.buffer(), chunk.used(), chunk.crc());
    container.write(new WritesInFlight());
    Reference.reachabilityFence(chunk); // the container has no more than its address
    return location;
  }

  /** An id for the next image. */
  public int nextImage() {
    return nextImage;
  }

  /** An empty file of an image's own. */
  public NativeFile file() throws IOException {
    final Path path = Files.createTempFile(captured, "own", "");
    final NativeFile file = disk.open(path, Flag.WRITE);
    files.add(file);
    return file;
  }

  /** Adds an image to the next checkpoint. */
  public StoreFixture image(
      final String path,
      final int rank,
      final long size,
      final NativeFile file,
      final ChunkLocation... chunks) {
    images.add(
        new DraftImage(
            new ImageAttributes(path, rank, 0, mode, size, nextImage++),
            List.of(chunks),
            FileSource.of(file),
            false,
            null));
    return this;
  }

  /** Gives the last image one more name. */
  public StoreFixture alsoCalled(final String path) {
    final DraftImage last = images.getLast();
    images.add(
        new DraftImage(
            new ImageAttributes(
                path,
                last.attributes().rank(),
                last.attributes().ranks(),
                last.attributes().mode(),
                last.attributes().size(),
                last.attributes().imageId()),
            last.chunks(),
            last.file(),
            false,
            null));
    return this;
  }

  /** Has the last image have some bytes of an image of an earlier checkpoint. */
  public StoreFixture goingOnFrom(final Commit commit, final int image, final Pieces pieces)
      throws IOException {
    final IncrementalSource base =
        new IncrementalSource(commit, store.images(commit).get(image), pieces);
    images.add(images.removeLast().goingOnFrom(base));
    return this;
  }

  /** Sets the mode of the images that follow. */
  public StoreFixture mode(final int permissions) {
    mode = permissions;
    return this;
  }

  /** Adds an image all of whose bytes are in the log. */
  public StoreFixture logged(final String path, final int rank, final byte[] content)
      throws IOException {
    final ChunkLocation location = append(chunk().write(nextImage, 0, content));
    return image(path, rank, content.length, file(), location);
  }

  /** Adds an image all of whose bytes are in its own file. */
  public StoreFixture filed(final String path, final int rank, final byte[] content)
      throws IOException {
    final NativeFile file = file();
    Files.write(Path.of(file.opened()), content);
    return image(path, rank, content.length, file);
  }

  /** Commits the images added since the last time. */
  public Commit commit(final long number, final int ranks) throws IOException {
    return commit(draft(number, ranks, RankSet.NONE));
  }

  /** The same of some of the ranks alone. */
  public Commit commitPart(final long number, final int ranks, final RankSet part)
      throws IOException {
    return commit(draft(number, ranks, part));
  }

  /** The same; tells of it when it is durable. */
  public void commit(final long number, final Consumer<Commit> durable) throws IOException {
    store.commit(draft(number, 0, RankSet.NONE), durable);
  }

  private Draft draft(final long number, final int ranks, final RankSet part) {
    final List<DraftImage> committed = images;
    images = new ArrayList<>();
    return new Draft(
        number,
        "",
        new CommitSource("node1", "job", Origin.UNKNOWN, SESSION),
        new JobCoverage(ranks, part),
        Layout.CONTAINER,
        Completion.COUNT,
        committed);
  }

  /** Commits a draft. */
  public Commit commit(final Draft draft) throws IOException {
    final AtomicReference<Commit> durable = new AtomicReference<>();
    store.commit(draft, durable::set);
    return durable.get();
  }

  @Override
  public void close() throws IOException {
    for (final NativeFile file : files) {
      file.close();
    }
    store.close();
  }
}
