package org.sluice.core.store.objects;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.disk.DurableMarks;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.objects.EngineException.Reason;

/**
 * An engine whose objects are files below a directory of any file system that nodes share. An
 * object is written under a draft's name, made durable, and then gets its own name by a link. No
 * lock is taken. A draft's name begins with a dot, an object's never. A killed process leaves its
 * draft, and {@link #drafts} finds it. The deletion of a draft that is being written makes the
 * write fail, and nothing worse.
 *
 * <p>Storage on a network may repeat a link that succeeded and answer that the name is there, or
 * remember that a name was missing. So after any error of a link the name is opened, and its
 * content decides.
 */
public final class DirectoryEngine implements Engine {
  private static final String DRAFT = ".draft-";

  private static final int MOST_ATTEMPTS = 4;

  /**
   * The most folders that are remembered as durable. A long run makes ever new folders, and comes
   * back to few.
   */
  private static final int MOST_FOLDERS = 1000;

  /** The number of looks, and the time between two, for a name that a link was told is there. */
  private static final int LATE_LOOKS = 100;

  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Path root;
  private final Disk disk;

  /** The folders that this engine knows to be durable. Any thread; a missing one costs a sync. */
  private final Set<Path> durable = ConcurrentHashMap.newKeySet();

  private final DurableMarks marks = new DurableMarks();

  public DirectoryEngine(final Path root, final Disk disk) {
    this.root = root;
    this.disk = disk;
  }

  public static DirectoryEngine of(final Path root) {
    return new DirectoryEngine(root, Disk.REAL);
  }

  @Override
  public void put(final String key, final List<ByteBuffer> pieces) throws IOException {
    if (!create(key, pieces, () -> has(key, pieces))) {
      throw new DamagedException(
          file(key).toString(), 0, "it has not the bytes that it is to have");
    }
  }

  @Override
  public boolean putIfAbsent(final String key, final byte[] bytes) throws IOException {
    final boolean created =
        create(
            key, List.of(ByteBuffer.wrap(bytes)), () -> Arrays.equals(getAll(key, 1 << 20), bytes));
    if (created) {
      mark(key);
    }
    return created;
  }

  /**
   * Marks an object that this node has made: its name is durable by now. Other nodes find the
   * object from its link on. A node that sees the mark has nothing to synchronise. A node that does
   * not see it synchronises by itself: storage shows the mark late or never, or a process was
   * killed before. So the mark need not be durable, and its failures cost others a request.
   */
  private void mark(final String key) {
    try (NativeFile file = disk.openThere(file(key))) {
      disk.chmod(file, DurableMarks.marked(file));
    } catch (final PosixException othersSynchroniseThen) {
      // a mount that maps users may refuse it
    }
  }

  /** A comparison of the existing object with the one to be made. */
  private interface Comparison {
    boolean isSame() throws IOException;
  }

  /**
   * Makes an object, unless there is one. A rename would do for {@link #put}, too. But over an
   * existing name a rename hides the object from other nodes for a moment (seen on GlusterFS).
   */
  private boolean create(
      final String key, final List<ByteBuffer> pieces, final Comparison comparison)
      throws IOException {
    final Path file = file(key);
    makeDirectory(file.getParent());
    final Path draft = draft(file);
    try (NativeFile written = open(draft)) {
      write(written, pieces);
      marks.draft(written);
      disk.link(written, file);
    } catch (final PosixException e) {
      deleteAfter(e, draft);
      return isThere(key, comparison, e);
    }
    disk.delete(draft, null);
    disk.syncDirectory(file.getParent(), null);
    return true;
  }

  /**
   * Returns whether the name has these bytes, whatever the link's answer was. An existing name may
   * appear late to a process that was just told of it (seen on GlusterFS).
   */
  private boolean isThere(
      final String key, final Comparison comparison, final PosixException failure)
      throws IOException {
    for (int looks = failure.errno() == Errno.EEXIST ? LATE_LOOKS : 0; ; looks--) {
      try {
        final boolean same = comparison.isSame();
        disk.syncDirectory(
            file(key).getParent(), null); // a process that acts on the name must find it again
        return same;
      } catch (final NoObjectException none) {
        if (looks == 0) {
          throw refusal(failure);
        }
        LockSupport.parkNanos(LATE_NANOS);
      }
    }
  }

  private IOException refusal(final PosixException failure) {
    return switch (failure.errno()) {
      case Errno.EPERM, Errno.EOPNOTSUPP ->
          new EngineException(
              Reason.UNFIT,
              "%s; the file system of %s has no hard links, by which nodes commit; take another one"
                  .formatted(failure.getMessage(), root),
              failure);
      default -> failure;
    };
  }

  private boolean has(final String key, final List<ByteBuffer> pieces) throws IOException {
    long offset = 0;
    for (final ByteBuffer piece : pieces) {
      final ByteBuffer there = ByteBuffer.allocate(piece.remaining());
      get(key, offset, there);
      if (!there.flip().equals(piece)) {
        return false;
      }
      offset += there.limit();
    }
    return read(key, NativeFile::size) == offset;
  }

  private NativeFile open(final Path draft) throws IOException {
    return disk.open(draft, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE);
  }

  private static void write(final NativeFile file, final List<ByteBuffer> pieces)
      throws IOException {
    long offset = 0;
    for (final ByteBuffer piece : pieces) {
      try (Arena arena = Arena.ofConfined()) {
        final MemorySegment bytes = inMemory(arena, MemorySegment.ofBuffer(piece));
        file.pwrite(bytes.address(), bytes.byteSize(), offset);
        offset += bytes.byteSize();
      }
    }
    file.syncAll();
  }

  private static MemorySegment inMemory(final Arena arena, final MemorySegment bytes) {
    return bytes.isNative() ? bytes : arena.allocate(bytes.byteSize()).copyFrom(bytes);
  }

  private void deleteAfter(final IOException failure, final Path draft) {
    try {
      disk.delete(draft, null);
    } catch (final IOException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public void get(final String key, final long offset, final ByteBuffer into) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment target = MemorySegment.ofBuffer(into);
      final MemorySegment memory =
          into.isDirect() ? target : arena.allocate(Math.max(1, into.remaining()));
      final long length =
          read(key, file -> StoredFile.read(file, memory.address(), into.remaining(), offset));
      if (!into.isDirect()) {
        MemorySegment.copy(memory, 0, target, 0, length);
      }
      into.position(into.position() + (int) length);
    }
  }

  /** A look into an object. */
  private interface Reading {
    long of(NativeFile file) throws IOException;
  }

  /**
   * Reads from an object. Storage on a network may open a file that another node has just deleted,
   * and only then report it (seen on GlusterFS). The name is looked up again, and leads to the
   * present file.
   */
  private long read(final String key, final Reading reading) throws IOException {
    final Path path = file(key);
    for (int attempt = 1; ; attempt++) {
      try (NativeFile file = disk.openThere(path)) {
        if (file.type() != FileType.REGULAR) {
          throw StoredFile.isNo(path, file.type(), FileType.REGULAR);
        }
        marks.found(key, file);
        return reading.of(file);
      } catch (final PosixException e) {
        if (e.errno() == Errno.ENOENT) {
          throw new NoObjectException(this, key);
        }
        if (e.errno() != Errno.ESTALE || attempt == MOST_ATTEMPTS) {
          StoredFile.check(path, FileType.REGULAR);
          throw e;
        }
      }
    }
  }

  @Override
  public List<String> list(final String prefix) throws IOException {
    final String folder = prefix.substring(0, prefix.lastIndexOf('/') + 1);
    return list(folder, name -> !name.startsWith(".")).stream()
        .filter(key -> key.startsWith(prefix))
        .toList();
  }

  /**
   * Returns drafts, which killed processes leave. A draft that is being written may go as well: its
   * writer fails then, and writes it again.
   */
  public List<String> drafts(final String... prefixes) throws IOException {
    final List<String> drafts = new ArrayList<>();
    for (final String prefix : prefixes) {
      drafts.addAll(list(prefix, DirectoryEngine::isDraft));
    }
    return drafts;
  }

  /** Returns whether only killed processes leave a file of this name. */
  public static boolean isDraft(final String name) {
    return name.startsWith(DRAFT);
  }

  private List<String> list(final String prefix, final Predicate<String> which) throws IOException {
    final List<String> keys = new ArrayList<>();
    add(prefix, root.resolve(prefix), which, keys);
    Collections.sort(keys);
    return keys;
  }

  private void add(
      final String prefix,
      final Path directory,
      final Predicate<String> which,
      final List<String> keys)
      throws IOException {
    try {
      for (final Path entry : disk.list(directory)) {
        final String name = entry.getFileName().toString();
        if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          add(prefix + name + "/", entry, which, keys);
        } else if (which.test(name)) {
          keys.add(prefix + name);
        }
      }
    } catch (final NoSuchFileException | NotDirectoryException goneOrNotYetThere) {
      // no key begins so
    }
  }

  @Override
  public long size(final String key) throws IOException {
    try {
      return read(key, NativeFile::size);
    } catch (final NoObjectException none) {
      return 0;
    }
  }

  @Override
  public void delete(final String key) throws IOException {
    final Path file = file(key);
    disk.delete(file, null);
    try {
      for (Path empty = file.getParent(); !isTop(empty); empty = empty.getParent()) {
        disk.delete(empty, null);
      }
    } catch (final DirectoryNotEmptyException hasOthers) {
      // the folder goes with its last object
    }
  }

  /** Other nodes see a name from its link on, which may be before its folder is durable. */
  @Override
  public void makeDurable(final Collection<String> keys) throws IOException {
    final Set<Path> folders = new TreeSet<>();
    for (final String key : keys) {
      if (!marks.has(key)) {
        folders.add(file(key).getParent());
      }
    }
    for (final Path folder : folders) {
      disk.syncDirectory(folder, null);
    }
  }

  /**
   * Returns whether a folder is right below the root. Such folders stay, so that nobody deletes
   * what another is making.
   */
  private boolean isTop(final Path directory) {
    return directory.equals(root) || directory.getParent().equals(root);
  }

  /**
   * Makes a folder durably. Another process may delete an empty folder at any time; then the
   * operation fails. A process may have been killed before it made an existing folder durable, so
   * each engine does that once. A folder that went empty is not used again, except for those right
   * below the root, which stay.
   */
  private void makeDirectory(final Path directory) throws IOException {
    if (directory.equals(root) || durable.contains(directory) && Files.isDirectory(directory)) {
      return;
    }
    makeDirectory(directory.getParent());
    disk.createDirectory(directory);
    disk.syncDirectory(directory.getParent(), null);
    if (durable.size() > MOST_FOLDERS) {
      durable.clear();
    }
    durable.add(directory);
  }

  private Path file(final String key) {
    return root.resolve(key);
  }

  private static Path draft(final Path file) {
    return file.resolveSibling("%s%016x".formatted(DRAFT, Entropy.nextLong()));
  }

  @Override
  public String toString() {
    return root.toString();
  }

  @Override
  public void close() {}
}
