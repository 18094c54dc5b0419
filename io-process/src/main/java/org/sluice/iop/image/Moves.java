package org.sluice.iop.image;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;

/**
 * The names of images that may have changed unannounced since they were looked at. A directory
 * above was renamed, or a program outside renamed or linked a file. A question for each image would
 * cost as much as there are images. The directories tell which are concerned. In a directory that
 * is in its place, and that nobody has changed, each file has the name that it had. Service thread
 * only.
 */
public final class Moves {
  /** The age below which a directory's change may be followed by another without another time. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  /**
   * The factor by which the pause after a look is longer than the look, where nobody needs one at
   * once.
   */
  private static final int SHARE = 20;

  /** The least pause between two looks at files that committed checkpoints have in place. */
  private static final long STORED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int NEVER = -1;

  private final CaptureDirectory capture;
  private final Predicate<Image> isKnown;
  private final Predicate<String> isWanted;
  private final Predicate<Image> isStored;
  private final LongSupplier clock;
  private final Map<String, Place> places = new LinkedHashMap<>();
  private final Map<Image, Sight> sights = new LinkedHashMap<>();

  /** The images without a name at the last look, and stored images that a process has renamed. */
  private final Set<Image> nowhere = new LinkedHashSet<>();

  /** The images whose present place cannot be found out. */
  private final Map<Image, IOException> unknown = new LinkedHashMap<>();

  private boolean told;
  private long next;

  /** The time from when stored images are looked at again. */
  private long nextStored;

  private enum Change {
    /** Its images have the names that they had, and others elsewhere at most. */
    NONE,
    /** The directory's images may have been renamed. */
    LIST,
    /** The directory has another name, or none. */
    PLACE
  }

  /** A directory that images are in. */
  private static final class Place {
    private final Set<Image> images = new LinkedHashSet<>();
    private FileStatus seen; // null before it is looked at, and where it is gone
    private boolean settled;

    /** Looks for changes since it was seen last. */
    private Change look(final String directory) {
      final FileStatus before = seen;
      final boolean wasSettled = settled;
      seen = status(directory);
      settled =
          seen != null && Duration.between(seen.modified(), Instant.now()).compareTo(FRESH) > 0;
      if (before == null || seen == null || !seen.identity().equals(before.identity())) {
        return Change.PLACE;
      }
      return wasSettled && seen.modified().equals(before.modified()) ? Change.NONE : Change.LIST;
    }

    private static FileStatus status(final String directory) {
      try {
        return FileStatus.of(directory);
      } catch (final PosixException goneOrOutOfReach) {
        return null;
      }
    }
  }

  /** The known names of an image. */
  private static final class Sight {
    private String directory = "";

    /** Another name than the one that the kernel tells; null for none. */
    private String other;

    /** The number of its names when they were searched for last. */
    private int links = NEVER;

    /** The number of its names when it was looked at last. */
    private int seen = NEVER;

    /** True while the image has not been looked at since its directory changed. */
    private boolean behind;
  }

  /**
   * @param isKnown whether an image is still one of the session
   * @param isWanted whether a name, absolute, is preferred to others of the same file
   * @param isStored whether an image's checkpoint is committed and has all that belongs to it.
   *     There may be very many such images, and only a name that a program outside gives their
   *     files would be news, so they are looked at less often.
   */
  public Moves(
      final CaptureDirectory capture,
      final Predicate<Image> isKnown,
      final Predicate<String> isWanted,
      final Predicate<Image> isStored) {
    this(capture, isKnown, isWanted, isStored, System::nanoTime);
  }

  Moves(
      final CaptureDirectory capture,
      final Predicate<Image> isKnown,
      final Predicate<String> isWanted,
      final Predicate<Image> isStored,
      final LongSupplier clock) {
    this.capture = capture;
    this.isKnown = isKnown;
    this.isWanted = isWanted;
    this.isStored = isStored;
    this.clock = clock;
    next = clock.getAsLong();
    nextStored = next;
  }

  /**
   * Returns the preferred present name of an image; empty when it has none in the capture
   * directory.
   */
  public Optional<String> find(final Image image) {
    final Optional<String> other = other(image);
    return other.isPresent() ? other : capture.find(image);
  }

  private Optional<String> other(final Image image) {
    final Sight sight = sights.get(image);
    if (sight == null || sight.other == null) {
      return Optional.empty();
    }
    if (!capture.contains(sight.other) || !image.held().identity().isAt(sight.other)) {
      sight.other = null;
      sight.links = NEVER; // the name was changed after the search
    }
    return Optional.ofNullable(sight.other);
  }

  /**
   * Notes that an image was looked at.
   *
   * @param name name of its file, absolute; empty where it has none
   */
  public void looked(final Image image, final Optional<String> name) {
    if (image.created() != null) {
      return; // nobody else changes its name, which is in the store
    }
    final Sight sight = sights.computeIfAbsent(image, any -> new Sight());
    final String directory = name.map(Moves::parent).orElse("");
    if (!directory.equals(sight.directory)) {
      leave(image, sight.directory);
      sight.directory = directory;
      if (name.isPresent()) {
        places.computeIfAbsent(directory, any -> new Place()).images.add(image);
      }
    }
    if (name.isPresent()) {
      nowhere.remove(image);
    } else {
      nowhere.add(image);
    }
  }

  private static String parent(final String path) {
    final String directory = FileName.sibling(path, "");
    return directory.length() > 1 ? directory.substring(0, directory.length() - 1) : directory;
  }

  private void leave(final Image image, final String directory) {
    final Place place = places.get(directory);
    if (place != null && place.images.remove(image) && place.images.isEmpty()) {
      places.remove(directory);
    }
  }

  private void forget(final Image image) {
    final Sight sight = sights.remove(image);
    if (sight != null) {
      leave(image, sight.directory);
    }
    nowhere.remove(image);
    unknown.remove(image);
  }

  /**
   * Notes the word of a process that it renamed a directory, or gave a file another name.
   *
   * @param image the file's image; null for a directory
   * @param path present name, absolute
   */
  public void told(final Image image, final String path) {
    told = true;
    if (image != null && isStored.test(image)) {
      nowhere.add(image); // so that the next look is at it
    }
    if (image != null && capture.contains(path) && image.held().identity().isAt(path)) {
      if (isWanted.test(path) || !isNamed(image)) {
        sights.computeIfAbsent(image, any -> new Sight()).other = path;
      }
    }
  }

  private boolean isNamed(final Image image) {
    try {
      return other(image).isPresent()
          || CaptureDirectory.told(image).filter(image.held().identity()::isAt).isPresent();
    } catch (final IOException e) {
      return false;
    }
  }

  /**
   * Notes the word of a process that it renamed an image.
   *
   * @return whether only a search tells its new name: then the next look is for it as well
   */
  public boolean isAstray(final Image image) {
    if (isNamed(image)) {
      return false;
    }
    nowhere.add(image);
    told = true;
    return true;
  }

  /** Returns whether a process has told of something since the last look. */
  public boolean areTold() {
    return told;
  }

  /** Returns whether there is time for a look that can wait. */
  public boolean mayLook() {
    return clock.getAsLong() - next >= 0;
  }

  /** Has the next look be at stored images as well. */
  public void lookAtStored() {
    nextStored = clock.getAsLong();
  }

  /**
   * Looks at those images whose names may have changed. The capture directory is searched once at
   * most, and only where the kernel does not tell a name.
   *
   * @return their present names, absolute; empty for none in here. Images whose names cannot be
   *     found out are not among them.
   */
  public Map<Image, Optional<String>> look() {
    final long began = clock.getAsLong();
    final Map<Image, Optional<String>> names = new LinkedHashMap<>();
    final List<Image> astray = new ArrayList<>();
    final boolean stored = began - nextStored >= 0;
    told = false;
    for (final Image image : suspects(stored)) {
      unknown.remove(image);
      try {
        look(image, names, astray);
      } catch (final MissingException e) {
        image.fail(e); // so that no commit has it
      } catch (final IOException e) {
        unknown.put(image, e);
      }
    }
    if (!astray.isEmpty()) {
      search(astray, names);
    }
    final long now = clock.getAsLong();
    next = now + SHARE * (now - began);
    nextStored = stored ? now + Math.max(STORED_NANOS, SHARE * (now - began)) : nextStored;
    return names;
  }

  /**
   * @param stored whether to look at stored images
   */
  private Set<Image> suspects(final boolean stored) {
    final Set<Image> all = new LinkedHashSet<>(nowhere);
    all.addAll(unknown.keySet());
    places.forEach(
        (directory, place) -> {
          final Change change = place.look(directory);
          place.images.stream().filter(image -> isSuspect(image, change, stored)).forEach(all::add);
        });
    for (final Image image : List.copyOf(all)) {
      if (!isKnown.test(image)) {
        all.remove(image);
        forget(image);
      }
    }
    return all;
  }

  /**
   * Returns whether an image's name may have changed. An image of a checkpoint is suspect only
   * where its directory has another name.
   */
  private boolean isSuspect(final Image image, final Change change, final boolean stored) {
    if (change == Change.PLACE || image.isCommitted()) {
      return change == Change.PLACE;
    }
    final Sight sight = sights.get(image);
    sight.behind |= change == Change.LIST;
    final boolean due = stored || !isStored.test(image);
    final boolean suspect = due && (sight.behind || hasOtherLinks(image));
    sight.behind &= !due;
    return suspect;
  }

  private boolean hasOtherLinks(final Image image) {
    try {
      return !isKnown.test(image) || image.held().links() != sights.get(image).seen;
    } catch (final IOException e) {
      return true;
    }
  }

  private void look(
      final Image image, final Map<Image, Optional<String>> names, final List<Image> astray)
      throws IOException {
    Optional<String> name = other(image);
    if (name.isEmpty()) {
      name = CaptureDirectory.told(image).filter(image.held().identity()::isAt);
    }
    final int links = image.held().links();
    final Sight sight = sights.computeIfAbsent(image, any -> new Sight());
    sight.seen = links;
    final boolean mayHaveAnother =
        name.isEmpty()
            ? links > 0
            : links > 1 && !image.isCommitted() && !isWanted.test(name.get());
    if (mayHaveAnother && links != sight.links) {
      astray.add(image);
    } else {
      put(image, name.filter(capture::contains), links, names);
    }
  }

  /**
   * An image that a checkpoint has, and whose program has deleted it, needs no name. An image at
   * rest whose name is not found stays in its group, whose commit fails for it.
   */
  private void put(
      final Image image,
      final Optional<String> name,
      final int links,
      final Map<Image, Optional<String>> names) {
    if (name.isEmpty() && image.isCommitted()) {
      forget(image);
    } else if (name.isPresent() || links == 0 || !image.isAtRest()) {
      names.put(image, name);
    }
  }

  private void search(final List<Image> astray, final Map<Image, Optional<String>> names) {
    try {
      final Map<ImageKey, List<String>> all = capture.names();
      for (final Image image : astray) {
        found(image, all.getOrDefault(image.key(), List.of()), names);
      }
    } catch (final PosixException e) {
      astray.forEach(image -> unknown.put(image, e));
    }
  }

  /**
   * Enters the names that a search found. The search may miss a file that a program renames
   * meanwhile.
   */
  private void found(
      final Image image, final List<String> all, final Map<Image, Optional<String>> names) {
    final List<String> its = all.stream().filter(image.held().identity()::isAt).toList();
    final Sight sight = sights.get(image);
    try {
      final Optional<String> told =
          CaptureDirectory.told(image)
              .filter(image.held().identity()::isAt)
              .filter(capture::contains);
      final Optional<String> best = its.stream().filter(isWanted).findFirst();
      sight.other = best.orElse(told.isPresent() || its.isEmpty() ? null : its.getFirst());
      final int links = image.held().links();
      final boolean missed = its.isEmpty() || its.size() < all.size();
      sight.links = missed ? NEVER : links;
      put(image, sight.other == null ? told : Optional.of(sight.other), links, names);
    } catch (final IOException e) {
      unknown.put(image, e);
    }
  }

  /**
   * Returns the reason why the place of some image is unknown, so that no checkpoint is known to
   * have all of its own.
   */
  public Optional<IOException> obstacle() {
    unknown.keySet().removeIf(image -> !isKnown.test(image));
    return unknown.values().stream().findFirst();
  }
}
