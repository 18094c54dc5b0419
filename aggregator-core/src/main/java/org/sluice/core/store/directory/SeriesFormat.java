package org.sluice.core.store.directory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.format.StoredFile;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.EngineProbe;

/** The file that tells a store of several nodes from any other directory, and its version. */
public final class SeriesFormat {
  private static final int VERSION = 1;
  private static final String DRAFT = ".format-";

  /** The most bytes of such a file. */
  public static final int MAX_LENGTH = 64;

  private static final Pattern TEXT = Pattern.compile("sluice series (\\d{1,9})\n");

  private SeriesFormat() {}

  /**
   * Returns whether a directory is a store of several nodes, of any version; false also when it
   * cannot be read.
   */
  public static boolean is(final Path root) {
    try {
      return match(StoredFile.readAll(file(root), MAX_LENGTH)).matches();
    } catch (final IOException none) {
      return false;
    }
  }

  /**
   * Returns whether a directory has the format file of a store, of several nodes or of one; false
   * also when there is nothing.
   */
  public static boolean isAnyStore(final Path root) {
    return Files.exists(file(root));
  }

  /**
   * Checks that a directory is a store of several nodes.
   *
   * @throws NoStoreException when it is no store
   * @throws FormatVersionException when it is of another version
   */
  public static void check(final Path root) throws IOException {
    if (!isAnyStore(root)) {
      throw new NoStoreException("there is no store %s; check --store".formatted(root));
    }
    check(root.toString(), StoredFile.readAll(file(root), MAX_LENGTH));
  }

  /**
   * Checks that a format file, or object, is that of a store of several nodes.
   *
   * @throws FormatVersionException when it is of another version
   * @throws DamagedException when it is of anything else
   */
  public static void check(final String store, final byte[] format)
      throws DamagedException, FormatVersionException {
    final Matcher text = match(format);
    if (!text.matches()) {
      throw new DamagedException(
          store + "/" + StoreFormat.NAME, 0, "it does not say 'sluice series'");
    }
    final int version = Integer.parseInt(text.group(1));
    if (version != VERSION) {
      throw FormatVersionException.of("the store " + store, version, VERSION);
    }
  }

  public static String text() {
    return "sluice series " + VERSION + "\n";
  }

  /**
   * Makes a directory for a store, or checks that a store may be made in an existing one.
   *
   * @param root path of the directory; its parent must exist
   */
  public static void prepare(final Path root) throws IOException {
    if (!Files.isDirectory(root)
        && (root.getParent() == null || !Files.isDirectory(root.getParent()))) {
      throw new NoStoreException(
          "cannot create the store %s: there is no directory %s; create it"
              .formatted(root, root.getParent()));
    }
    createFolder(root);
    refuseForeign(root);
  }

  /**
   * Makes a store of a directory that is {@linkplain #prepare prepared}, or checks that it is a
   * store. Several nodes may do so at once.
   */
  public static void create(final Path root) throws IOException {
    if (!isAnyStore(root)) {
      final Path draft = root.resolve("%s%016x".formatted(DRAFT, Entropy.nextLong()));
      Disk.REAL.createWhole(draft, file(root), text().getBytes(StandardCharsets.UTF_8));
      Disk.REAL.syncDirectory(root, null);
    }
    check(root);
  }

  /**
   * Returns whether a file in a store's directory is left by a process that was killed while it
   * made the store.
   */
  public static boolean isRemains(final String name) {
    return name.startsWith(DRAFT)
        || name.startsWith(EngineProbe.PREFIX)
        || DirectoryEngine.isDraft(name);
  }

  private static void refuseForeign(final Path root) throws IOException {
    for (final Path entry : Disk.REAL.list(root)) {
      final String name = entry.getFileName().toString();
      if (isAnyStore(root)) {
        return; // another node has made it meanwhile
      }
      if (!name.startsWith(".") && !name.startsWith(EngineProbe.PREFIX)) {
        throw new NoStoreException(
            "%s is not a store and not empty: it has %s; give another --store"
                .formatted(root, name));
      }
    }
  }

  /** Makes a directory and its missing parents, durably. */
  public static void createFolder(final Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      createFolder(directory.getParent());
      Disk.REAL.createDirectory(directory);
      Disk.REAL.syncDirectory(directory.getParent(), null);
    }
  }

  /**
   * Returns whether other nodes may use the file system of a directory, or of its parent where it
   * is missing.
   */
  public static boolean isShared(final Path root) throws IOException {
    final Path there =
        Files.isDirectory(root) ? root : root.toAbsolutePath().normalize().getParent();
    try (NativeFile file = NativeFile.open(there, Flag.DIRECTORY)) {
      return file.isShared();
    }
  }

  private static Matcher match(final byte[] bytes) {
    return TEXT.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
  }

  private static Path file(final Path root) {
    return root.resolve(StoreFormat.NAME);
  }
}
