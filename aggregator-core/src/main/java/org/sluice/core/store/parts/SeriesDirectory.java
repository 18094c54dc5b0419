package org.sluice.core.store.parts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.core.posix.Names;
import org.sluice.core.store.directory.SeriesFormat;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.node.PosixReader;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.EngineProbe;
import org.sluice.core.store.series.DataKey;
import org.sluice.core.store.series.PartFetch;
import org.sluice.core.store.series.PartKey;
import org.sluice.core.store.series.PartReader;
import org.sluice.core.store.series.SeriesGarbage;
import org.sluice.core.store.series.SeriesLog;
import org.sluice.core.store.series.SeriesStore;

/**
 * A store in a directory that several nodes use at a time. Each of its series is a folder: a log,
 * parts, and for each node of each run a store of that node's own.
 *
 * <pre>
 * format                   tells it from any other directory
 * NAME/log/SEQUENCE        the log of the series NAME
 * NAME/part/...            its parts, see {@link PartKey}
 * NAME/data/BEGIN-NODE/    a node's own store of the run that began at BEGIN
 * </pre>
 *
 * @param root directory of the store, absolute
 */
public record SeriesDirectory(Path root) implements SeriesStore {
  private static final String DATA = "data";
  private static final String ENDED = PosixReader.ENDED;
  static final int MOST_OF_ENDED = 64;

  private static final Duration STALE = Duration.ofMinutes(1);

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}");
  private static final Pattern FOLDER = Pattern.compile("(\\d{1,18})-(.+)");

  /**
   * The place of a node in a run.
   *
   * @param root directory of the store, absolute
   * @param begin sequence of the run's begin
   * @param node name of the node, as keys have it
   */
  public record Place(Path root, String series, long begin, String node) {
    public Path path() {
      return root.resolve(series).resolve(DATA).resolve(begin + "-" + node);
    }

    /**
     * Records that the process that used the store has ended as it should.
     *
     * @param last last entry of the log that it has read
     * @throws IOException when that fails; the process then seems killed
     */
    public void end(final long last) throws IOException {
      if (Files.exists(path()) && !isEnded(path())) { // a later run may have collected it
        final byte[] text = SealedText.encode(last + "\n");
        Files.write(path().resolve(ENDED), text, StandardOpenOption.CREATE_NEW);
      }
    }

    /**
     * Returns the last entry of the log by that record: no other node knows that it was there; 0
     * for none, also for a damaged file and for a file of an older Sluice.
     */
    long last() {
      try {
        final Path ended = path().resolve(ENDED);
        final boolean settled =
            Files.getLastModifiedTime(ended).toInstant().isBefore(Instant.now().minus(STALE));
        return settled ? Long.parseLong(SealedText.read(ended, MOST_OF_ENDED).strip()) : 0;
      } catch (final IOException | NumberFormatException none) {
        return 0;
      }
    }

    /** Reads the path of a node's own store; empty for any other directory. */
    public static Optional<Place> of(final Path path) {
      final Matcher folder = FOLDER.matcher(String.valueOf(path.getFileName()));
      final Path data = path.getParent();
      if (!folder.matches()
          || data == null
          || !data.endsWith(DATA)
          || data.getNameCount() < 3
          || !SeriesDirectory.is(data.getParent().getParent())) {
        return Optional.empty();
      }
      return Optional.of(
          new Place(
              data.getParent().getParent(),
              data.getParent().getFileName().toString(),
              Long.parseLong(folder.group(1)),
              folder.group(2)));
    }
  }

  static boolean isEnded(final Path path) {
    return Files.exists(path.resolve(ENDED));
  }

  /** Returns whether a directory is such a store; false also when there is nothing. */
  public static boolean is(final Path root) {
    return SeriesFormat.is(root);
  }

  /**
   * Returns the directory that is the store to a user.
   *
   * @return the root of the store of all nodes, or else the same path
   */
  public static Path root(final Path path) {
    return Place.of(path).map(Place::root).orElse(path);
  }

  /**
   * Makes a store of a directory that is missing or empty and whose parent exists, or checks that
   * it is a store.
   */
  public static SeriesDirectory create(final Path root) throws IOException {
    final Path absolute = root.toAbsolutePath().normalize();
    if (!SeriesFormat.is(absolute)) {
      SeriesFormat.prepare(absolute);
      try (Engine engine = DirectoryEngine.of(absolute)) {
        EngineProbe.conditionalCreate(engine);
      }
    }
    SeriesFormat.create(absolute);
    return new SeriesDirectory(absolute);
  }

  public static SeriesDirectory open(final Path root) throws IOException {
    final Path absolute = root.toAbsolutePath().normalize();
    SeriesFormat.check(absolute);
    return new SeriesDirectory(absolute);
  }

  public static boolean isName(final String name) {
    return NAME.matcher(name).matches();
  }

  @Override
  public List<String> names() throws IOException {
    return Names.in(root).stream()
        .filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
        .map(path -> path.getFileName().toString())
        .filter(SeriesDirectory::isName)
        .sorted()
        .toList();
  }

  /** Makes a series, or checks that it is there. */
  public void make(final String name) throws IOException {
    SeriesFormat.createFolder(root.resolve(name));
  }

  @Override
  public Engine engine(final String name) {
    return DirectoryEngine.of(root.resolve(name));
  }

  @Override
  public Engine whole() {
    return DirectoryEngine.of(root);
  }

  @Override
  public List<String> remains() throws IOException {
    return Names.in(root).stream()
        .filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
        .map(path -> path.getFileName().toString())
        .filter(SeriesFormat::isRemains)
        .toList();
  }

  @Override
  public PartReader parts(final String series) {
    return new DirectoryParts(this, series);
  }

  /** Returns the data that parts need, as each part itself tells. */
  @Override
  public SeriesGarbage.Names needs(final String series) {
    final PartFetch fetch = new PartFetch(engine(series));
    return part -> needs(part.key(), fetch.stored(part));
  }

  @Override
  public Optional<Instant> lastUsed(final String series, final String place) throws IOException {
    final Path path = (place.contains("/") ? root.resolve(series) : root).resolve(place);
    if (isEnded(path)) {
      return Optional.empty();
    }
    try {
      if (!Files.isDirectory(path)) {
        return Optional.of(Files.getLastModifiedTime(path).toInstant());
      }
      try (PosixStore store = PosixStore.open(path)) {
        return Optional.of(store.lastUsed());
      }
    } catch (final NoStoreException | NoSuchFileException gone) {
      return Optional.empty();
    }
  }

  @Override
  public List<String> drafts(final String series) throws IOException {
    return DirectoryEngine.of(root.resolve(series)).drafts(SeriesLog.FOLDER, PartKey.FOLDER);
  }

  /** Returns the places of a run's nodes that are there. */
  public List<Place> places(final String series, final long begin) throws IOException {
    return places(series).stream().filter(place -> place.begin() == begin).toList();
  }

  /** Returns the places of all runs' nodes. */
  List<Place> places(final String series) throws IOException {
    final Path data = root.resolve(series).resolve(DATA);
    return Files.isDirectory(data)
        ? Names.in(data).stream().flatMap(path -> Place.of(path).stream()).toList()
        : List.of();
  }

  /** Returns the place of a node in a run, and makes its parent. */
  public Place place(final String series, final long begin, final String host) throws IOException {
    final Place place = new Place(root, series, begin, PartKey.node(host));
    SeriesFormat.createFolder(place.path().getParent());
    return place;
  }

  /**
   * Returns the files of its node's own store that a part needs: its containers, the links of its
   * images' files, and those that make it a store. Prefixes of keys end in a slash.
   */
  public static Set<String> needs(final PartKey key, final StoredPart part) {
    final String folder = new DataKey(key.begin(), key.node(), "").toString();
    final Set<String> needs = new HashSet<>();
    needs.add(folder + ENDED);
    part.names().forEach(name -> needs.add(folder + name));
    return needs;
  }

  @Override
  public String toString() {
    return root.toString();
  }

  @Override
  public void close() {}
}
