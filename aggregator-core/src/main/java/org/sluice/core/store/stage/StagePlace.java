package org.sluice.core.store.stage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.directory.SeriesFormat;
import org.sluice.core.store.node.PosixReader;
import org.sluice.core.store.objects.Engines;
import org.sluice.core.store.series.PartKey;

/**
 * The place of a node's own store in a run whose series is in a bucket: on the stage, a disk of
 * that node. A stage may hold several stores, each in a folder of its own.
 *
 * <pre>
 * FOLDER/stage                     the store's URI
 * FOLDER/NAME/data/BEGIN-NODE/     the node's own store of one run in the series NAME
 * </pre>
 *
 * @param root the folder, absolute
 * @param begin sequence of the run's begin
 * @param node name of the node, as keys have it
 */
public record StagePlace(Path root, String uri, String series, long begin, String node) {
  private static final String FILE = "stage";
  private static final String FIRST_LINE = "sluice stage 1";
  private static final String DATA = "data";
  private static final String ENDED = PosixReader.ENDED;
  private static final String PROCESS = "process";
  private static final Pattern FOLDER = Pattern.compile("(\\d{1,18})-(.+)");
  private static final int LINES = 2;
  private static final int MOST_OF_URI = 60;

  /**
   * Finds the place of a node in a run, and makes the folders above.
   *
   * @param stage directory of the stage, which is made if it is missing
   * @param begin sequence of the run's begin
   * @return a place whose parent is there
   */
  public static StagePlace make(
      final Path stage, final String uri, final String series, final long begin, final String host)
      throws IOException {
    final Path root = folder(stage, uri);
    final StagePlace place = new StagePlace(root, uri, series, begin, PartKey.node(host));
    SeriesFormat.createFolder(place.path().getParent());
    final Path draft = Files.createTempFile(root, "." + FILE, "");
    Files.writeString(draft, FIRST_LINE + "\n" + uri + "\n");
    Files.move(draft, root.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    return place;
  }

  /**
   * Returns the folder of a store. The checksum tells two stores apart whose names would be the
   * same.
   */
  private static Path folder(final Path stage, final String location) {
    final String uri = Engines.canonical(location);
    final CRC32C sum = new CRC32C();
    sum.update(uri.getBytes(StandardCharsets.UTF_8));
    final String name = uri.replaceAll("[^A-Za-z0-9._-]+", "-");
    return stage
        .toAbsolutePath()
        .normalize()
        .resolve(
            name.substring(0, Math.min(name.length(), MOST_OF_URI))
                + "-"
                + HexFormat.of().toHexDigits((int) sum.getValue()));
  }

  public StagePlace of(final long other) {
    return new StagePlace(root, uri, series, other, node);
  }

  /** {@return a folder, which need not be there} */
  public static Path series(final Path stage, final String uri, final String series) {
    return folder(stage, uri).resolve(series);
  }

  /** Reads the path of a node's own store; empty when it is on no stage. */
  public static Optional<StagePlace> of(final Path path) throws IOException {
    final Matcher folder = FOLDER.matcher(String.valueOf(path.getFileName()));
    final Path data = path.getParent();
    if (!folder.matches() || data == null || !data.endsWith(DATA) || data.getNameCount() < 3) {
      return Optional.empty();
    }
    final Path root = data.getParent().getParent();
    final Path file = root.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    return Optional.of(
        new StagePlace(
            root,
            uri(file),
            data.getParent().getFileName().toString(),
            Long.parseLong(folder.group(1)),
            folder.group(2)));
  }

  /** Returns the URI in a folder's file. The folder's name has the checksum of the URI. */
  private static String uri(final Path file) throws IOException {
    final List<String> lines =
        new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).lines().toList();
    final Path root = file.getParent();
    if (lines.size() != LINES
        || !lines.getFirst().equals(FIRST_LINE)
        || !folder(root.getParent(), lines.get(1)).equals(root.toAbsolutePath().normalize())) {
      throw new DamagedException(
          file.toString(),
          0,
          "it does not say whose stage this is; the next session with this --stage makes it anew");
    }
    return lines.get(1);
  }

  public Path path() {
    return root.resolve(series).resolve(DATA).resolve(begin + "-" + node);
  }

  /** Marks the node's own store as used by a process, as long as the mark is open. */
  public NativeFile use() throws IOException {
    final NativeFile file = NativeFile.open(path().resolve(PROCESS), Flag.WRITE, Flag.CREATE);
    file.lock(); // a process that looks whether the store is used has the lock for a moment
    Files.deleteIfExists(
        path().resolve(ENDED)); // a process that was killed after its end is resumed
    return file;
  }

  /** Returns whether a process uses a node's own store. */
  public static boolean isUsed(final Path own) throws IOException {
    try (NativeFile process = NativeFile.open(own.resolve(PROCESS))) {
      return !process.tryLockShared();
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENOENT);
      return false;
    }
  }

  /**
   * Records that the process that used the node's own store has ended as it should.
   *
   * @throws IOException when that fails; the process then seems killed
   */
  public void end() throws IOException {
    if (Files.exists(path()) && !isEnded(path())) { // a later run may have collected it
      Files.createFile(path().resolve(ENDED));
    }
  }

  /**
   * Returns whether the last process to use a node's own store ended as it should; false also while
   * the store is used, and after a kill.
   */
  public static boolean isEnded(final Path own) {
    return Files.exists(own.resolve(ENDED));
  }

  /** Returns the stores of a series' runs on a stage. */
  static List<Path> all(final Path stage, final String uri, final String series)
      throws IOException {
    final Path data = series(stage, uri, series).resolve(DATA);
    final List<Path> all = new ArrayList<>();
    if (Files.isDirectory(data)) {
      for (final Path own : Names.in(data)) {
        of(own).ifPresent(place -> all.add(own));
      }
    }
    return all;
  }

  /** Returns the stores that earlier runs of this node have left on the stage. */
  public List<Path> earlier() throws IOException {
    final List<Path> earlier = new ArrayList<>();
    for (final Path other : Names.in(path().getParent())) {
      final Optional<StagePlace> place = of(other);
      if (place.isPresent() && place.get().node.equals(node) && place.get().begin < begin) {
        earlier.add(other);
      }
    }
    return earlier;
  }
}
