package org.sluice.iop.group;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.Committer;
import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.checkpoint.Group;
import org.sluice.iop.checkpoint.GroupTable;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.checkpoint.UncapturedFiles;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageName;
import org.sluice.iop.image.Moves;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.retention.Retention;

/**
 * The names by which groups have their images. No process tells of the files below a renamed
 * directory, nor of what programs outside do. So before a commit each image is put in the group of
 * its present name, or the commit waits. Service thread only.
 */
public final class GroupNames {
  /** The time until an unsuccessful search is repeated. */
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int NO_IMAGE = 0;

  /** The number of parts that is enough for a warning. */
  private static final int MOST_PARTS = 1 << 16;

  private final Decisions decisions;
  private final CapturedFiles files;
  private final Publisher publisher;
  private final Grouping grouping;
  private final GroupTable table;
  private final UncapturedFiles uncaptured;
  private final Moves moves;
  private final LongConsumer changed;
  private Consumer<Image> ungrouped = image -> {};
  private final Set<Long> parts = new HashSet<>();

  /**
   * @param changed receiver of checkpoints that have lost something
   */
  public GroupNames(
      final Decisions decisions,
      final CapturedFiles files,
      final Publisher publisher,
      final Grouping grouping,
      final UncapturedFiles uncaptured,
      final LongConsumer changed) {
    this.decisions = decisions;
    this.files = files;
    this.publisher = publisher;
    this.grouping = grouping;
    this.changed = changed;
    this.table = decisions.state().groups();
    this.uncaptured = uncaptured;
    this.moves =
        new Moves(
            files.capture(),
            image -> files.registry().find(image.id()) == image,
            path -> number(path).isPresent(),
            this::isStored);
  }

  private boolean isStored(final Image image) {
    final Group group = table.of(image);
    return group != null && !group.hasChanged();
  }

  /**
   * Returns the number of the checkpoint that a name belongs to; empty for none, and outside the
   * capture directory.
   */
  public OptionalLong number(final String path) {
    return files.capture().contains(path)
        ? grouping.number(files.capture().relative(path))
        : OptionalLong.empty();
  }

  UncapturedFiles uncaptured() {
    return uncaptured;
  }

  String relative(final String path) {
    return files.capture().relative(path);
  }

  /** Searches for the names of images that the kernel does not tell. */
  void search(final Collection<Image> images) {
    files.capture().search(images);
  }

  /** Finds the names of all images of files; those of the API have none that counts. */
  Map<Image, Optional<String>> findAll() {
    final Map<Image, Optional<String>> all = new HashMap<>();
    files.registry().all().stream()
        .filter(image -> image.created() == null)
        .forEach(image -> all.put(image, find(image)));
    return all;
  }

  /**
   * Returns the receiver of images whose checkpoint stays after all.
   *
   * @param look look at an image that no longer belongs to its group
   * @param joined receiver of a group that may have other images by now
   */
  Retention.Returns returns(
      final BiConsumer<Image, Optional<String>> look, final Consumer<Group> joined) {
    return new Returning(decisions.state(), files, grouping, look, joined);
  }

  /** Sets the receiver of images that are in no group. */
  public void ungrouped(final Consumer<Image> its) {
    ungrouped = its;
  }

  void noteUngrouped(final Image image) {
    if (image.added() == null) {
      ungrouped.accept(image);
    }
  }

  /**
   * Returns the name of an image that tells its checkpoint, or else any other name; empty for none.
   */
  Optional<String> find(final Image image) {
    return moves.find(image);
  }

  /**
   * Puts an image in the group of its present name. Returns null when the image is in no group.
   *
   * @param name absolute path of its file; empty for none in the capture directory
   * @param mayHave test for numbers that may have a group
   * @param begin creates the group of a number that has none
   */
  Group place(
      final Image image,
      final Optional<String> name,
      final LongPredicate mayHave,
      final LongFunction<Group> begin) {
    moves.looked(image, name);
    if (table.isSetAside(image)) {
      return null;
    }
    final Optional<String> path = name.map(files.capture()::relative);
    final OptionalLong number =
        path.filter(its -> image.added() == null)
            .filter(its -> publisher.hasNodes() || !files.shared().has(image, its))
            .map(grouping::number)
            .filter(its -> its.stream().allMatch(mayHave))
            .orElse(OptionalLong.empty());
    final Group before = table.of(image);
    if (name.isEmpty() ? image.isUnnamed() : ImageName.isOurs(name.get())) {
      return before; // the commit of this group fails for an image without a name
    }
    if (number.isEmpty() || before != null && before.number() != number.getAsLong()) {
      leave(image, before, path.isEmpty());
      decisions.state().forgetInGroups(image);
    }
    if (number.isEmpty()) {
      noteUngrouped(image);
      return null;
    }
    final Group known = table.find(number.getAsLong());
    final Group group = known == null ? begin.apply(number.getAsLong()) : known;
    table.add(group, image, path.get());
    group.mark(image, grouping.marks(path.get()));
    if (parts.size() < MOST_PARTS) {
      parts.add(image.writer().part());
    }
    return group;
  }

  /**
   * Returns the images of a commit, each under all names that tell its number. A name that the
   * checkpoint lacks might lead to a sparse file.
   */
  List<Entry.Part> members(final Group group) throws IOException {
    final List<Entry.Part> all = new ArrayList<>(group.members());
    final List<Image> linked = new ArrayList<>();
    for (final Image image : group.images()) {
      if (image.held().links() > (image.isCommitted() ? 2 : 1)) { // the store has a name, too
        linked.add(image);
      }
    }
    final Map<ImageKey, List<String>> names = linked.isEmpty() ? Map.of() : files.capture().names();
    for (final Image image : linked) {
      CaptureDirectory.of(image, names).stream()
          .filter(name -> number(name).equals(OptionalLong.of(group.number())))
          .map(files.capture()::relative)
          .filter(path -> !path.equals(group.path(image)))
          .forEach(path -> all.add(Committer.part(image, path)));
    }
    return all;
  }

  /**
   * Takes an image out of its group. An image without a name may have been deleted before it was
   * looked at for the first time.
   */
  private void leave(final Image image, final Group group, final boolean isDeleted) {
    if (group != null) {
      gone(image, group.number(), group.path(image));
    } else if (isDeleted) {
      number(image.opened())
          .ifPresent(number -> gone(image, number, files.capture().relative(image.opened())));
    }
  }

  /** Notes that a process is about to write an image from its beginning. */
  public void emptied(final Image image) {
    final Group group = table.of(image);
    if (group != null) {
      gone(image, group.number(), group.path(image));
    } else if (grouping.exists()) {
      gone(image, Entry.NO_CHECKPOINT, "");
    }
  }

  private void gone(final Image image, final long number, final String path) {
    final boolean unfinished = image.isAbandoned() && table.of(image) != null;
    if (image.whole() > 0 || unfinished) {
      gone(image.id(), number, image.writing(path));
    }
  }

  private void gone(final int image, final long number, final Entry.Writing writing) {
    decisions.decide(new Entry.Gone(image, number, writing));
    changed.accept(number);
  }

  /**
   * Notes a file that was closed and deleted before it was taken as an image, at an unknown time.
   */
  public void deletedUntaken(final String path, final Writer writer) {
    final OptionalLong number = number(path);
    if (number.isPresent()) {
      final String relative = files.capture().relative(path);
      gone(
          NO_IMAGE,
          number.getAsLong(),
          new Entry.Writing(relative, writer.part(), 1, 1, 1, writer.killsBefore(), false));
    }
  }

  /** Returns how many parts of a job ever had a file in a group, for a warning. */
  public int parts() {
    return parts.size();
  }

  /**
   * Looks for images that may have been moved.
   *
   * @param changed receiver of images that may have changed their checkpoint, with their names
   */
  void lookAtMoved(final BiConsumer<Image, Optional<String>> changed) {
    moves
        .look()
        .forEach(
            (image, name) -> {
              if (isSame(image, name)) {
                moves.looked(image, name);
              } else {
                changed.accept(image, name);
              }
            });
  }

  /** Has the next look for moved images be at those of committed checkpoints as well. */
  void lookAtStored() {
    moves.lookAtStored();
  }

  /**
   * Returns whether an image's name still fits its group. A committed checkpoint keeps its old
   * names. A file with one of Sluice's own names, which it has for a moment, keeps its group.
   */
  private boolean isSame(final Image image, final Optional<String> name) {
    if (name.filter(ImageName::isOurs).isPresent()) {
      return true;
    }
    final Group group = table.of(image);
    final OptionalLong number = name.map(this::number).orElse(OptionalLong.empty());
    if (group == null) {
      return number.isEmpty();
    }
    return number.isPresent()
        && number.getAsLong() == group.number()
        && (image.isCommitted() || group.has(image, files.capture().relative(name.get())));
  }

  /**
   * Notes that a process has renamed a directory, or given a file another name. A file of one
   * checkpoint cannot be in another one as well.
   */
  public void moved(final ImageKey key, final String path) {
    if (!grouping.exists() || !files.capture().contains(path)) {
      return;
    }
    final Image image = files.registry().find(key);
    final Group group = image == null ? null : table.of(image);
    final OptionalLong number = number(path);
    if (group != null && number.isPresent() && number.getAsLong() != group.number()) {
      uncaptured.note(key, path, Reason.SHARED);
    } else {
      moves.told(image, path);
    }
  }

  /**
   * Notes that a process has renamed an image. Returns whether only a search tells its new name.
   */
  public boolean isAstray(final Image image) {
    return grouping.exists() && moves.isAstray(image);
  }

  boolean areTold() {
    return moves.areTold();
  }

  boolean mayLook() {
    return moves.mayLook();
  }

  /** Returns whether the place of some image is unknown, so that a checkpoint may lack it. */
  boolean hide(final long number, final RecheckSchedule rechecks) {
    final Optional<Failure> unknown = moves.obstacle().map(Failure::of);
    unknown.ifPresent(
        why -> {
          uncaptured.refuse(number, why);
          rechecks.wake(number, rechecks.now() + AGAIN_NANOS);
        });
    return unknown.isPresent();
  }
}
