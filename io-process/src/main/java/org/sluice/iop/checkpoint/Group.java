package org.sluice.iop.checkpoint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.sluice.core.store.model.Commit;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;

/**
 * The images whose paths name one checkpoint. Figures that each opening and closing asks for are
 * kept counted; those that only a commit asks for are searched for. Service thread only.
 */
public final class Group {
  private final long number;
  private final Refusal refusal;
  private final Map<Image, Member> members = new LinkedHashMap<>();
  private final FilesPerRank parts = new FilesPerRank();
  private final Set<Image> markers = new LinkedHashSet<>();

  /** The number of images by the count of their job's ranks on this node. */
  private final NavigableMap<Integer, Integer> localRanks = new TreeMap<>();

  private int open;
  private int abandoned;
  private int unchanged;
  private boolean changed;
  private boolean rewriting;

  /**
   * True once no process writes more files of the group. Nothing else completes a group whose ranks
   * no launcher tells.
   */
  private boolean left;

  /**
   * True once the command has ended well, so that the files which its processes left open are
   * closed.
   */
  private boolean over;

  /** The writings since its last commit that its files have no more. */
  private Rounds rounds = new Rounds();

  /** The last commit, while no file has joined it since; null else. */
  private Commit stored;

  /** An image as it is counted. */
  private static final class Member {
    private String path;
    private List<Writer> writers;
    private boolean open;
    private boolean abandoned;

    /**
     * True while the image was neither rewritten nor deleted since the last commit, which has it.
     */
    private boolean unchanged;

    private void look(final Image image) {
      writers = image.writers();
      open = !image.openers().isEmpty();
      abandoned = image.isAbandoned();
    }
  }

  /**
   * @param changed whether there is something that its last commit does not have
   * @param rewriting whether an image of its last commit was rewritten or deleted
   */
  public Group(final long number, final boolean changed, final boolean rewriting) {
    this.number = number;
    this.refusal = new Refusal(number);
    this.changed = changed;
    this.rewriting = rewriting;
  }

  /** The I/O process decided to commit all of it: images under these paths. */
  void committed(final Map<Image, String> paths) {
    List.copyOf(members.keySet()).stream()
        .filter(image -> !paths.containsKey(image))
        .forEach(this::take);
    paths.forEach(
        (image, path) -> {
          final Member member = members.containsKey(image) ? members.get(image) : put(image, path);
          member.path = path;
          member.unchanged = true;
        });
    unchanged = members.size();
    changed = false;
    rewriting = false;
  }

  /** Adds an image of the last commit, or of behind it. */
  void enter(final Image image, final String path, final boolean same) {
    put(image, path).unchanged = same;
    unchanged += same ? 1 : 0;
  }

  private Member put(final Image image, final String path) {
    take(image);
    final Member member = new Member();
    member.path = path;
    member.look(image);
    members.put(image, member);
    image.inCheckpoint(refusal::say);
    count(member, 1);
    return member;
  }

  /**
   * Removes an image, and returns it as it was counted; null if the group did not have it. The
   * image may come back.
   */
  Member take(final Image image) {
    markers.remove(image);
    final Member member = members.remove(image);
    if (member != null) {
      image.inCheckpoint(null);
      count(member, -1);
      unchanged -= member.unchanged ? 1 : 0;
    }
    return member;
  }

  private void count(final Member member, final int one) {
    open += member.open ? one : 0;
    abandoned += member.abandoned ? one : 0;
    localRanks.merge(
        member.writers.getLast().localRanks(),
        one,
        (had, more) -> had + more == 0 ? null : had + more);
    member.writers.forEach(
        one > 0 ? each -> parts.add(each.part()) : each -> parts.remove(each.part()));
  }

  /** An image was opened, closed or abandoned, or has another writer. */
  void update(final Image image) {
    final Member member = members.get(image);
    count(member, -1);
    member.look(image);
    count(member, 1);
  }

  Entry.Grouped sum() {
    return new Entry.Grouped(number, changed, rewriting, members(Group::sum));
  }

  private static Entry.GroupMember sum(final Image image, final Member member) {
    return new Entry.GroupMember(image.id(), member.path, member.unchanged);
  }

  public long number() {
    return number;
  }

  public Refusal refusal() {
    return refusal;
  }

  /**
   * Returns when an image of the group was closed the last time; the highest number while one is
   * open.
   */
  long closed() {
    return isOpen()
        ? Long.MAX_VALUE
        : members.keySet().stream().mapToLong(Image::closed).max().orElse(0);
  }

  /** Adds an image, or learns its new path. */
  void add(final Image image, final String path) {
    final Member member = members.get(image);
    if (member == null) {
      put(image, path);
      changed = true;
    } else if (!path.equals(member.path)) {
      if (member.unchanged && (rewriting || isOfAnother(path))) {
        rewritten(image); // committed under the name that it had until it was whole
      }
      member.path = path;
      changed = true;
    }
  }

  private boolean isOfAnother(final String path) {
    return members.values().stream().anyMatch(other -> other.path.equals(path));
  }

  public String path(final Image image) {
    return members.get(image).path;
  }

  public boolean has(final Image image, final String path) {
    return members.containsKey(image) && path.equals(members.get(image).path);
  }

  void remove(final Image image) {
    final Member member = take(image);
    rewriting |= member != null && member.unchanged;
  }

  /** An image of its last commit that left is not coming back. */
  public void lost() {
    rewriting = true;
  }

  /** A copy with the same bytes takes an image's place. */
  void substitute(final Image image, final Image copy) {
    final boolean marks = markers.contains(image);
    final Member member = take(image);
    enter(copy, member.path, member.unchanged);
    mark(copy, marks);
  }

  void rewritten(final Image image) {
    final Member member = members.get(image);
    changed = true;
    rewriting |= member.unchanged;
    unchanged -= member.unchanged ? 1 : 0;
    member.unchanged = false;
  }

  /** The image is a file whose closing completes the checkpoint, or has such a name no more. */
  public void mark(final Image image, final boolean marks) {
    if (marks) {
      markers.add(image);
    } else {
      markers.remove(image);
    }
  }

  /** The images that are as they were committed. */
  public List<Image> unchanged() {
    return members.keySet().stream().filter(image -> members.get(image).unchanged).toList();
  }

  public boolean isEmpty() {
    return members.isEmpty();
  }

  public int size() {
    return members.size();
  }

  public void stored(final Commit commit) {
    stored = commit;
  }

  /**
   * Takes the last commit, if there is one and no file has joined since; the next call returns
   * null.
   */
  public Commit takeStored() {
    final Commit taken = stored;
    stored = null;
    return taken;
  }

  public boolean isStored() {
    return stored != null;
  }

  /** Returns whether the group has something that its last commit does not have. */
  public boolean hasChanged() {
    return changed;
  }

  void failed() {
    changed = true;
  }

  public boolean isOpen() {
    return open > 0;
  }

  /** Returns whether no process has an image of the group open, and no image was abandoned. */
  public boolean isQuiet() {
    return over
        ? members.keySet().stream().allMatch(this::isFinished)
        : open == 0 && abandoned == 0;
  }

  private boolean isFinished(final Image image) {
    return image.openers().isEmpty()
        && (!image.isAbandoned() || over && !image.writer().wasKilled());
  }

  /** Returns whether two images have one name: a program has just renamed one over the other. */
  public boolean isBeingRenamed() {
    return files() < members.size();
  }

  /** {@return the number of names that its images have} */
  public int files() {
    return (int) members.values().stream().map(member -> member.path).distinct().count();
  }

  /** Returns whether the group has nothing but markers, which then complete nothing. */
  public boolean isMarkerAlone() {
    return !markers.isEmpty() && markers.size() == members.size();
  }

  /**
   * Returns whether the marker is there, or as many ranks as are to write the group, with all of
   * their images.
   */
  public boolean isWhole(final Grouping grouping) {
    if (grouping.hasMarkers()) {
      return !markers.isEmpty();
    }
    final int expected = expected(grouping);
    return expected > 0
        ? parts.with(grouping.filesPerRank()) >= expected
        : left || grouping.filesPerRank() > 1 && isWrittenByOne(grouping.filesPerRank());
  }

  /** Returns whether a single process wrote the whole group, and no launcher gave it a rank. */
  public boolean hasOneWriter() {
    return parts.with(1) == 1 && isUnranked(members.values().iterator().next());
  }

  /** Returns whether no launcher gave a rank to any process that wrote the group. */
  boolean isUnranked() {
    return members.values().stream().allMatch(Group::isUnranked);
  }

  private static boolean isUnranked(final Member member) {
    return member.writers.stream().allMatch(writer -> writer.rank() < 0);
  }

  private boolean isWrittenByOne(final int files) {
    return hasOneWriter() && parts.with(files) > 0;
  }

  /** Notes that no process writes more files of the group. */
  public void leave() {
    left = true;
  }

  /** A command that succeeded is over: the kernel has closed what its processes left open. */
  public void end() {
    over = true;
    left |= isUnranked();
  }

  /**
   * Returns whether the group waits only for a marker, or for ranks that have opened no file of any
   * checkpoint.
   *
   * @param seen how many ranks have opened one
   */
  public boolean waitsFor(final Grouping grouping, final long seen) {
    final int expected = expected(grouping);
    final boolean waits =
        grouping.hasMarkers()
            ? markers.isEmpty() || isMarkerAlone()
            : !left && seen < Math.max(1, expected);
    return changed && isQuiet() && waits;
  }

  /** Returns whether all images are of one round of writing. */
  public boolean isOfOneRound(final Grouping grouping) {
    return !isMixed()
        && !isOfTwoRounds(grouping)
        && casualties().outlived() == 0
        && (!grouping.hasMarkers() || isMarkedAnew());
  }

  /**
   * Returns whether a marker was written after all other images, as it must be in every round but
   * the first.
   */
  private boolean isMarkedAnew() {
    return !rewriting
        || markers.isEmpty() // the node that has the marker looks
        || markers.stream().mapToLong(Image::written).max().orElse(-1)
            > members.keySet().stream()
                .filter(image -> !markers.contains(image))
                .mapToLong(Image::written)
                .max()
                .orElse(0);
  }

  /**
   * Returns whether some images of the last commit were rewritten or deleted and others were not.
   */
  private boolean isMixed() {
    return rewriting && unchanged > 0;
  }

  public boolean hasKilledWriter() {
    return casualties().hasKilledWriter();
  }

  /** Returns whether a kill or a fault left the group in a state that no rank meant it to have. */
  public boolean isTorn() {
    return casualties().areTorn();
  }

  private Casualties casualties() {
    return new Casualties(members.keySet());
  }

  /**
   * Returns whether an image of the last commit was rewritten or deleted, which begins another
   * round of writing.
   */
  public boolean isRewritten() {
    return rewriting;
  }

  /**
   * Returns whether more images have joined since the last commit, whose images are all as they
   * were.
   */
  public boolean hasGrown() {
    return unchanged > 0 && !rewriting && unchanged < members.size();
  }

  /**
   * Returns whether it was decided to commit the group again, with all of these images and others.
   */
  public boolean hasMoreThan(final Set<Image> images) {
    return unchanged == members.size()
        && unchanged > images.size()
        && members.keySet().containsAll(images);
  }

  /** Notes are taken of what its images have no more. */
  void rounds(final Rounds its) {
    rounds = its;
  }

  /**
   * Returns whether some files were written anew after all had been closed, and others were not.
   */
  boolean isOfTwoRounds(final Grouping grouping) {
    return countBefore(began(grouping)) > 0;
  }

  /**
   * Returns when the present round of writing began; 0 for the first since its last commit. A round
   * is not whole by images that are as they were committed.
   */
  private long began(final Grouping grouping) {
    return rounds.began(
        members.entrySet().stream()
            .filter(e -> !e.getValue().unchanged)
            .map(e -> e.getKey().writing(e.getValue().path)),
        grouping,
        expected(grouping));
  }

  private long countBefore(final long time) {
    return members.keySet().stream().filter(image -> image.closed() < time).count();
  }

  /** Returns why the group is not committed as it is. */
  public String obstacle(final Grouping grouping) {
    final int expected = expected(grouping);
    final int files = grouping.filesPerRank();
    final long unfinished = members.keySet().stream().filter(image -> !isFinished(image)).count();
    if (casualties().lost() > 0) {
      return "%d of %d images lost bytes: %s"
          .formatted(casualties().lost(), members.size(), casualties().reason());
    } else if (unfinished > 0) {
      return "%d of %d images never closed".formatted(unfinished, members.size());
    } else if (grouping.hasMarkers() && markers.isEmpty()) {
      return "no file that --complete names was written";
    } else if (isMarkerAlone()) {
      return "it has no file but the one that --complete names; write the others into the capture"
          + " directory, under names that --group tells";
    } else if (!grouping.hasMarkers() && expected == 0 && !isWhole(grouping)) {
      return "nothing says how many files it has; see --complete, --files-per-rank and --writers";
    } else if (!grouping.hasMarkers() && parts.with(1) < expected) {
      return "%d of %d ranks wrote images; see --writers".formatted(parts.with(1), expected);
    } else if (!grouping.hasMarkers() && parts.with(files) < expected) {
      return "%d of %d ranks wrote %d images; see --files-per-rank"
          .formatted(parts.with(files), expected, files);
    } else if (casualties().outlived() > 0) {
      return "%d of %d images left by killed ranks, not rewritten or deleted by those who came later"
          .formatted(casualties().outlived(), members.size());
    } else if (isMixed()) {
      return "%d of %d images rewritten after its last commit"
          .formatted(members.size() - unchanged, members.size());
    } else if (isOfTwoRounds(grouping)) {
      return "%d of %d images rewritten after all had been closed"
          .formatted(members.size() - countBefore(began(grouping)), members.size());
    } else if (grouping.hasMarkers() && !isMarkedAnew()) {
      return "the file that --complete names was not written after the others";
    }
    return isBeingRenamed() ? "two of its images have one name" : "its commit failed";
  }

  /** Returns the number of this node's ranks that write the group, 0 when no image tells. */
  private int expected(final Grouping grouping) {
    if (grouping.writers() > 0) {
      return grouping.writers();
    }
    return localRanks.isEmpty() ? 0 : localRanks.lastKey();
  }

  public CommitRanks commitRanks(final Grouping grouping) {
    final boolean all = !grouping.hasMarkers() && grouping.writers() == 0;
    final List<Writer> writers =
        members.keySet().stream().flatMap(image -> image.writers().stream()).toList();
    return CommitRanks.of(writers, all ? expected(grouping) : 0);
  }

  public List<Image> images() {
    return new ArrayList<>(members.keySet());
  }

  public List<Entry.Part> members() {
    return members((image, member) -> Committer.part(image, member.path));
  }

  private <T> List<T> members(final BiFunction<Image, Member, T> as) {
    return members.entrySet().stream().map(e -> as.apply(e.getKey(), e.getValue())).toList();
  }
}
