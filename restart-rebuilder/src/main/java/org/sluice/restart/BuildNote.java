package org.sluice.restart;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.process.NativeProcess;

/**
 * A hidden file that tells in which directories a restore builds, and under which names. The file
 * is locked while the restore lives. So the next restore to that place finds and removes files of a
 * killed one. Not thread-safe.
 */
final class BuildNote implements AutoCloseable {
  private static final String END = "\0";
  private static final String TITLE = "built by sluice restore" + END;
  private static final Pattern NAME = Pattern.compile("\\.sluice-[89a-f][0-9a-f]{7}0{8}");
  private static final int DIGITS = 8;
  private static final int LONGEST = 1 << 24;

  private final String prefix =
      ".sluice-%08x".formatted(ThreadLocalRandom.current().nextInt() | Integer.MIN_VALUE);

  private final BuildPlaces places;
  private final Set<String> directories = new HashSet<>();
  private String path;
  private NativeFile file;
  private long length;
  private int names;

  BuildNote(final BuildPlaces places) {
    this.places = places;
  }

  /** Returns a hidden name in an existing directory, and notes the directory. */
  String next(final String directory) {
    if (file != null && directories.add(directory)) {
      append(directory + END);
    }
    return name();
  }

  private String name() {
    return prefix + "%08x".formatted(names++);
  }

  /**
   * Creates the note's file. The restore goes on without a note where no file can be made or
   * locked.
   */
  void begin(final String directory) {
    if (names > 0) {
      return;
    }
    final String place = FileName.resolve(directory, name());
    places.add(place);
    try {
      file = NativeFile.open(place, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE);
      path = place;
      file.lock();
      append(TITLE);
    } catch (final PosixException e) {
      file = null;
      places.remove(place);
    }
  }

  private void append(final String text) {
    final byte[] bytes = FileName.encode(text);
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      file.pwrite(memory.address(), bytes.length, length);
      length += bytes.length;
    } catch (final PosixException full) {
      directories.clear(); // the restore builds on without a note, or fails by itself
    }
  }

  /** Removes the note, since nothing is being built any more. */
  @Override
  public void close() throws PosixException {
    if (path != null) {
      Names.delete(path);
      places.remove(path);
      path = null;
    }
    if (file != null) {
      file.close();
      file = null;
    }
  }

  /** Removes files of killed restores from a directory. Files that cannot be looked at stay. */
  static long sweep(final String directory) {
    long bytes = 0;
    try {
      for (final String name : Names.in(directory, NAME.asMatchPredicate())) {
        bytes += left(FileName.resolve(directory, name), true);
      }
    } catch (final IOException gone) {
      return bytes;
    }
    return bytes;
  }

  /**
   * Finds files of a killed restore, and returns their bytes; 0 when there are none, or the restore
   * lives.
   */
  static long left(final String path, final boolean removes) throws IOException {
    if (!NAME.matcher(path.substring(path.lastIndexOf('/') + 1)).matches() || !Names.exists(path)) {
      return 0;
    }
    long bytes = 0;
    try (NativeFile note = NativeFile.open(path, Flag.WRITE, Flag.NO_FOLLOW, Flag.NO_WAIT)) {
      final String[] lines = isOwn(note) && note.tryLock() ? read(note) : new String[] {""};
      if (!TITLE.equals(lines[0] + END)) {
        return bytes;
      }
      final String prefix = path.substring(path.lastIndexOf('/') + 1, path.length() - DIGITS);
      for (final String directory : List.of(lines).subList(1, lines.length)) {
        bytes += Names.exists(directory) ? of(directory, prefix, path, removes) : 0;
      }
      bytes += of(path, removes);
    }
    return bytes;
  }

  /** Returns whether a note is this user's. The note of another user could name any file. */
  private static boolean isOwn(final NativeFile note) throws IOException {
    final Object owner = Files.getAttribute(Path.of(note.procPath()), "unix:uid");
    return owner.equals(NativeProcess.user()) && note.status().type() == FileType.REGULAR;
  }

  private static String[] read(final NativeFile note) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment memory = arena.allocate(Math.clamp(note.status().size(), 1, LONGEST));
      final long length = note.pread(memory.address(), memory.byteSize(), 0);
      return FileName.decode(memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE)).split(END);
    }
  }

  private static long of(
      final String directory, final String prefix, final String note, final boolean removes)
      throws PosixException {
    long bytes = 0;
    for (final String name : Names.in(directory, each -> each.startsWith(prefix))) {
      final String path = FileName.resolve(directory, name);
      bytes += path.equals(note) ? 0 : of(path, removes);
    }
    return bytes;
  }

  private static long of(final String path, final boolean removes) throws PosixException {
    final FileStatus status = FileStatus.of(path);
    if (status.type() != FileType.DIRECTORY) {
      if (removes) {
        Names.delete(path);
      }
      return status.size();
    }
    long bytes = 0;
    for (final String name : Names.in(path, any -> true)) {
      bytes += of(FileName.resolve(path, name), removes);
    }
    if (removes) {
      Names.deleteDirectory(path);
    }
    return bytes;
  }
}
