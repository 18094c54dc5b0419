package org.sluice.core.store.directory;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.format.StoredFile;

/**
 * The file that tells a store from any other directory, and its version. Its lock is the store's,
 * so it stays the same file. A newer version is written in its place, which is one sector.
 */
public record StoreFormat(Path store, Disk disk) {
  static final String NAME = "format";

  private static final int VERSION = 3;

  /**
   * The version of a node's part of a series: no commit in it supersedes another, as the series'
   * log decides.
   */
  private static final int PART = 4;

  private static final int OLDEST = 1;
  private static final int MAX_LENGTH = 64;
  private static final Pattern TEXT = Pattern.compile("sluice store (\\d{1,9})\n");

  public Path path() {
    return store.resolve(NAME);
  }

  boolean exists() {
    return Files.exists(path(), NOFOLLOW_LINKS);
  }

  /**
   * Makes the file at once as a whole, unless it is there. Of several processes that make the store
   * the first one's file stays, as its lock must be one file's.
   */
  void create(final boolean part) throws IOException {
    final Path temporary = store.resolve("%s.%016x".formatted(NAME, Entropy.nextLong()));
    disk.createWhole(temporary, path(), text(part ? PART : VERSION));
  }

  public boolean isPart() throws IOException {
    return version() == PART;
  }

  /** Checks that the file is there and of a version that can be read. */
  void check() throws IOException {
    if (!exists()) {
      Files.newDirectoryStream(store).close();
      throw new NoStoreException(
          Files.isDirectory(store.resolve("checkpoints")) || hasSeries()
              ? "%s has no file named %s; if it is a store, %s".formatted(store, NAME, mending())
              : "%s is not a store: it has no file named %s; check --store".formatted(store, NAME));
    }
    version();
  }

  private String mending() throws IOException {
    final Path folder = store.getParent();
    final int version = folder != null && folder.endsWith("data") ? PART : VERSION;
    return "this mends it: echo %s >%s"
        .formatted(hasSeries() ? SeriesFormat.text().strip() : "sluice store " + version, path());
  }

  /** Returns whether the directory looks like a store of several nodes. */
  private boolean hasSeries() throws IOException {
    return Files.isDirectory(store)
        && Names.in(store).stream()
            .filter(each -> Files.notExists(each.resolve(NAME))) // a node's store has a log, too
            .anyMatch(each -> Files.isDirectory(each.resolve("log")));
  }

  private int version() throws IOException {
    final byte[] bytes = StoredFile.readAll(path(), MAX_LENGTH);
    final Matcher text = TEXT.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
    if (!text.matches()) {
      throw new DamagedException(
          path().toString(), 0, "it does not say 'sluice store'; if it is one, " + mending());
    }
    final int version = Integer.parseInt(text.group(1));
    if (version < OLDEST || version > PART) {
      throw FormatVersionException.of("the store " + store, version, PART);
    }
    return version;
  }

  /**
   * Gives the store this version, durably, before anything is written that an older Sluice does not
   * know. The caller holds the lock, or the store is not yet used.
   *
   * @throws FormatVersionException when a newer Sluice has made it one of its own meanwhile
   */
  public void upgrade() throws IOException {
    if (version() < VERSION) {
      try (NativeFile file = disk.open(path(), Flag.WRITE);
          Arena arena = Arena.ofConfined()) {
        final MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, text(VERSION));
        file.pwrite(memory.address(), memory.byteSize(), 0);
        file.syncAll();
      }
    }
  }

  private static byte[] text(final int version) {
    return ("sluice store " + version + "\n").getBytes(StandardCharsets.UTF_8);
  }
}
