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
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;

/**
 * Names of images that may have changed since they were looked at, without a word: a directory
 * above was renamed, or a program outside renamed or linked a file. To ask for each would cost as
 * much as there are images. The directories tell which: in one that is where it was, and that
 * nobody has changed, each file has the name that it had. Service thread only.
 */
public final class Moves {
  /** A directory that was changed so lately may be changed again without another time. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  /** So much longer than a look nobody needs at once is the pause behind it. */
  private static final int SHARE = 20;

  private static final int NEVER = -1;

  private final CaptureDirectory capture;
  private final Predicate<Image> isKnown;
  private final Predicate<String> isWanted;
  private final LongSupplier clock;
  private final Map<String, Place> places = new LinkedHashMap<>();
  private final Map<Image, Sight> sights = new LinkedHashMap<>();

  /** The images that had no name when they were looked at last. */
  private final Set<Image> nowhere = new LinkedHashSet<>();

  /** Of those where they are now cannot be found out. */
  private final Map<Image, IOException> unknown = new LinkedHashMap<>();

  private boolean told;
  private long next;

  private enum Change {
    /** Its images have the names that they had, and others elsewhere at most. */
    NONE,
    /** Some may have been renamed. */
    LIST,
    /** It has another name, or none. */
    PLACE
  }

  /** A directory that images are in. */
  private static final class Place {
    private final Set<Image> images = new LinkedHashSet<>();
    private FileStatus seen; // null before it is looked at, and where it is gone
    private boolean settled;

    /** What may have become of it since it was seen last. */
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

  /** What is known of an image's names. */
  private static final class Sight {
    private String directory = "";

    /** Another name than the one that the kernel tells; null for none. */
    private String other;

    /** How many names it had when they were searched for last. */
    private int links = NEVER;

    /** The same when it was looked at last. */
    private int seen = NEVER;
  }

  /**
   * Nothing was looked at yet.
   *
   * @param capture where images are
   * @param isKnown whether an image is still one of the session
   * @param isWanted whether a name, absolute, is preferred to others of the same file
   */
  public Moves(
      final CaptureDirectory capture,
      final Predicate<Image> isKnown,
      final Predicate<String> isWanted) {
    this(capture, isKnown, isWanted, System::nanoTime);
  }

  Moves(
      final CaptureDirectory capture,
      final Predicate<Image> isKnown,
      final Predicate<String> isWanted,
      final LongSupplier clock) {
    this.capture = capture;
    this.isKnown = isKnown;
    this.isWanted = isWanted;
    this.clock = clock;
    next = clock.getAsLong();
  }

  /**
   * Where an image is now.
   *
   * @param image an image of the session
   * @return the name that is preferred; empty when it has none in the capture directory
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
      sight.links = NEVER; // it was renamed behind the search
    }
    return Optional.ofNullable(sight.other);
  }

  /**
   * An image was looked at.
   *
   * @param image an image of the session
   * @param name of its file, absolute; empty where it has none
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
   * A process says that it renamed a directory, or gave a file another name.
   *
   * @param image the file's image; null for a directory
   * @param path what it is called now, absolute
   */
  public void told(final Image image, final String path) {
    told = true;
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
   * A process says that it renamed an image.
   *
   * @param image an image of the session
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

  /**
   * Whether a process has told of something since the last look.
   *
   * @return until {@link #look}
   */
  public boolean areTold() {
    return told;
  }

  /**
   * Whether there is time for a look that can wait.
   *
   * @return false for a while after one that took long
   */
  public boolean mayLook() {
    return clock.getAsLong() - next >= 0;
  }

  /**
   * Looks at those images whose names may have changed; the capture directory is searched once at
   * most, and only where the kernel does not tell a name.
   *
   * @return the names that they have now, absolute; empty for none in here. Images whose names
   *     cannot be found out are not among them.
   */
  public Map<Image, Optional<String>> look() {
    final long began = clock.getAsLong();
    final Map<Image, Optional<String>> names = new LinkedHashMap<>();
    final List<Image> astray = new ArrayList<>();
    told = false;
    for (final Image image : suspects()) {
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
    return names;
  }

  private Set<Image> suspects() {
    final Set<Image> all = new LinkedHashSet<>(nowhere);
    all.addAll(unknown.keySet());
    places.forEach(
        (directory, place) -> {
          final Change change = place.look(directory);
          place.images.stream().filter(image -> isSuspect(image, change)).forEach(all::add);
        });
    for (final Image image : List.copyOf(all)) {
      if (!isKnown.test(image)) {
        all.remove(image);
        forget(image);
      }
    }
    return all;
  }

  /** What a checkpoint has is looked for in others only where its directory has another name. */
  private boolean isSuspect(final Image image, final Change change) {
    if (change == Change.PLACE || image.isCommitted()) {
      return change == Change.PLACE;
    }
    return change == Change.LIST || hasOtherLinks(image);
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
   * Nobody needs the name of what a checkpoint has, and its program has deleted. What came to rest,
   * and has a name that is not found, stays in its group, whose commit fails for it.
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

  /** What a program renames meanwhile the search may miss. */
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
   * Why it is not known where some image is, so that no checkpoint is known to have all of its own.
   *
   * @return empty when all are known
   */
  public Optional<IOException> obstacle() {
    unknown.keySet().removeIf(image -> !isKnown.test(image));
    return unknown.values().stream().findFirst();
  }
}
