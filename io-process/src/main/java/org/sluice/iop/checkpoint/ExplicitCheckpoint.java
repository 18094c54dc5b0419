package org.sluice.iop.checkpoint;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.RankSet;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;

/** A checkpoint that its ranks begin, fill and complete by requests. Service thread only. */
public final class ExplicitCheckpoint {
  private static final int NO_IMAGE = 0;

  private final long number;
  private final Entry.Scope scope;
  private final Set<Integer> begun = new TreeSet<>();
  private final Set<Integer> complete = new TreeSet<>();
  private final Map<String, Image> members = new LinkedHashMap<>();

  /** The files that processes wrote meanwhile, with the rank of each. */
  private final Map<Image, Integer> files = new LinkedHashMap<>();

  private boolean decided;

  /** The name beside its number; empty for none. */
  private String name = "";

  /** The names of files that are yet to be written, with the rank of each. */
  private final Map<String, Integer> expected = new LinkedHashMap<>();

  /** The end of the attempt before, which was given up; null for none. */
  private final Entry.Ended before;

  ExplicitCheckpoint(final long number, final Entry.Scope scope, final Entry.Ended before) {
    this.number = number;
    this.scope = scope;
    this.before = before;
  }

  /**
   * Returns the end of the attempt before this one, which was given up, to a rank that has not
   * begun this one; empty where there is none.
   */
  public Optional<Entry.Ended> former(final int rank) {
    return scope.held() || begun.contains(rank) ? Optional.empty() : Optional.ofNullable(before);
  }

  public boolean isCompletedBy(final int rank) {
    return complete.contains(rank);
  }

  public long number() {
    return number;
  }

  public String name() {
    return name;
  }

  void name(final String given) {
    name = given;
  }

  public int ranks() {
    return scope.ranks();
  }

  /** The ranks whose images a commit of this checkpoint has. */
  public CommitRanks commitRanks() {
    return scope.spread()
        ? new CommitRanks(ranks(), RankSet.of(complete.stream().mapToInt(Integer::intValue)))
        : new CommitRanks(ranks(), RankSet.NONE);
  }

  /** Adds an image, in place of one of the same name; its rank is not complete any more. */
  void add(final Image image, final int rank, final String name) {
    begun.add(rank);
    complete.remove(rank);
    members.put(path(rank, name), image);
  }

  public Optional<Image> find(final int rank, final String name) {
    return Optional.ofNullable(members.get(path(rank, name)));
  }

  /** Adds a file, whatever its name. */
  void add(final Image file, final int rank) {
    files.put(file, rank);
  }

  void remove(final Image image) {
    members.values().remove(image);
    files.remove(image);
  }

  /** A rank begins its part, perhaps once more. */
  void begin(final int rank) {
    begun.add(rank);
    complete.remove(rank);
  }

  public boolean isBegunBy(final int rank) {
    return begun.contains(rank);
  }

  /** Waits for a file of this name in the capture directory. */
  void expect(final String path, final int rank) {
    expected.put(path, rank);
  }

  void found(final String path) {
    expected.remove(path);
  }

  /** Returns the names of files that are yet to be written, with the rank of each. */
  public Map<String, Integer> expected() {
    return Collections.unmodifiableMap(expected);
  }

  /** Returns the files that processes wrote in the capture directory while they filled it. */
  public List<Image> files() {
    return List.copyOf(files.keySet());
  }

  /** Returns the files of a rank's part. */
  public List<Image> files(final int rank) {
    return files().stream().filter(file -> files.get(file) == rank).toList();
  }

  public boolean has(final Image file) {
    return files.containsKey(file);
  }

  /** Returns whether it has a file, and the file's rank has completed its part. */
  public boolean isWhole(final Image file) {
    return files.containsKey(file) && complete.contains(files.get(file));
  }

  /** Returns whether it has a file, which the rank has not deleted before it completed its part. */
  boolean awaits(final Image file) {
    return files.containsKey(file) && (isWhole(file) || !file.isDeleted());
  }

  /**
   * Returns whether all but a rank have completed their parts, and nobody has put anything in. A
   * node of several may have nothing, and so may a rank of an MPI job.
   */
  public boolean endsEmpty(final int rank) {
    final int others = complete.size() - (complete.contains(rank) ? 1 : 0);
    return members.isEmpty()
        && files.isEmpty()
        && expected.isEmpty()
        && !scope.spread()
        && !scope.held()
        && others + 1 >= scope.expected();
  }

  void sum(final Consumer<Entry> to) {
    if (before != null) {
      to.accept(before);
    }
    to.accept(new Entry.Begun(number, scope));
    if (!name.isEmpty()) {
      to.accept(new Entry.Named(number, name));
    }
    begun.forEach(rank -> to.accept(new Entry.Filling(Lane.NO_SLOT, number, rank)));
    images().forEach(image -> to.accept(image.created()));
    files().forEach(file -> to.accept(file.added()));
    expected.forEach((path, rank) -> to.accept(new Entry.Added(NO_IMAGE, number, rank, path)));
    complete.forEach(rank -> to.accept(new Entry.Completed(number, rank, Lane.NO_SLOT, 0)));
    if (decided) {
      to.accept(new Entry.Decided(number, true));
    }
  }

  /**
   * Returns where an image of an explicit checkpoint is restored. An image is a copy of a file if
   * its name begins with a slash. Then the rest is the file's path in the capture directory.
   */
  public static String path(final int rank, final String name) {
    return name.startsWith("/") ? name.substring(1) : "rank-%04d/%s".formatted(rank, name);
  }

  /** Returns the name of an image that is a copy of a file. */
  public static String copy(final String path) {
    return '/' + path;
  }

  /** Returns how far it is, and what it waits for. */
  public String progress() {
    final Optional<String> open =
        files.keySet().stream()
            .filter(Image::isOpen)
            .findFirst()
            .map(file -> "; %s is still open".formatted(Quoting.name(file.opened())));
    final Optional<String> unwritten =
        expected.keySet().stream()
            .findFirst()
            .map(path -> "; %s is yet to be written".formatted(Quoting.name(path)));
    return "%d of %d ranks completed it%s"
        .formatted(complete.size(), scope.expected(), open.or(() -> unwritten).orElse(""));
  }

  /** Returns the images that a rank has created by request. */
  public List<Image> images(final int rank) {
    return images().stream().filter(image -> image.created().rank() == rank).toList();
  }

  /** The images a rank still has open. */
  public List<Image> openImages(final int rank) {
    return images(rank).stream().filter(image -> !image.openers().isEmpty()).toList();
  }

  /**
   * Returns whether another rank's part is of a process that was killed before this one came. Ranks
   * that go back to an earlier checkpoint write all parts anew.
   */
  public boolean isOutlivedBy(final Writer process) {
    return Stream.concat(
            files().stream().filter(file -> files.get(file) != process.rank()),
            images().stream().filter(image -> image.created().rank() != process.rank()))
        .map(Image::writer)
        .anyMatch(writer -> writer.wasKilled() && writer.killsBefore() < process.killsBefore());
  }

  void complete(final int rank) {
    complete.add(rank);
  }

  public boolean isComplete() {
    return complete.size() >= scope.expected();
  }

  /** Returns whether the checkpoint waits for a decision, however complete it is. */
  public boolean isHeld() {
    return scope.held() && !decided;
  }

  /** Returns whether it is given up when a process ends before its part is complete. */
  public boolean isBound() {
    return scope.bound();
  }

  /** Returns the ranks that have begun their parts and not completed them. */
  public Set<Integer> incomplete() {
    final Set<Integer> ranks = new TreeSet<>(begun);
    ranks.removeAll(complete);
    return ranks;
  }

  public Completion completion() {
    return scope.held() ? Completion.MPI : Completion.API;
  }

  void decide() {
    decided = true;
  }

  /**
   * Returns the images of a commit.
   *
   * @param paths the files by their paths in the capture directory: a file may have several
   */
  public List<Entry.Part> members(final Map<String, Image> paths) {
    final List<Entry.Part> parts = new ArrayList<>();
    members.forEach(
        (name, image) ->
            parts.add(new Entry.Part(image.id(), name, image.created().rank(), ranks(), false)));
    paths.forEach(
        (path, file) ->
            parts.add(new Entry.Part(file.id(), path, files.get(file), ranks(), false)));
    return parts;
  }

  /** Returns the images that ranks created by request, which have no names elsewhere. */
  public List<Image> images() {
    return List.copyOf(members.values());
  }
}
