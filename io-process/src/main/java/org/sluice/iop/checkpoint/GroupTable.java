package org.sluice.iop.checkpoint;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.agrona.collections.Int2ObjectHashMap;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;

/**
 * The groups. An image is in one at most. Entries tell those that were committed, as of their last
 * commit; what joined them later the names of files tell. Service thread only.
 */
public final class GroupTable {
  private final Map<Long, Group> byNumber = new LinkedHashMap<>();
  private final Int2ObjectHashMap<Group> byImage = new Int2ObjectHashMap<>();

  /**
   * The rounds of groups of which something is gone, by number; also where there is no image now.
   */
  private final Map<Long, Rounds> rounds = new TreeMap<>();

  /** Images whose checkpoint is on its way out of the store: in no group, whatever their names. */
  private final Set<Image> setAside = new HashSet<>();

  public Collection<Group> all() {
    return Collections.unmodifiableCollection(byNumber.values());
  }

  List<Long> numbers() {
    return List.copyOf(byNumber.keySet());
  }

  /** The group of a checkpoint; null when there is none. */
  public Group find(final long number) {
    return byNumber.get(number);
  }

  /** The groups that were closed before one and have something to commit, in that order. */
  public List<Long> changedBefore(final Group group) {
    return byNumber.values().stream()
        .filter(Group::hasChanged)
        .filter(other -> other.closed() < group.closed())
        .sorted(Comparator.comparingLong(Group::closed))
        .map(Group::number)
        .toList();
  }

  /** The groups that have something which no commit has, in the order of their closing. */
  public List<Group> uncommitted() {
    return byNumber.values().stream()
        .filter(Group::hasChanged)
        .filter(group -> !group.images().stream().allMatch(Image::isCommitted))
        .sorted(Comparator.comparingLong(Group::closed))
        .toList();
  }

  /** The group that has an image; null when none has. */
  public Group of(final Image image) {
    return byImage.get(image.id());
  }

  /** The images of a group that are in a checkpoint as they are. */
  public Set<Image> committed(final long number) {
    return byNumber.containsKey(number)
        ? byNumber.get(number).unchanged().stream()
            .filter(Image::isCommitted)
            .collect(Collectors.toSet())
        : Set.of();
  }

  /**
   * Takes images out of a checkpoint's group before their names change, and keeps them out.
   *
   * @return the group, which may be no more; null where it has none of them
   */
  public Group setAside(final long number, final List<Image> images) {
    setAside.addAll(images);
    final Group group = find(number);
    images.stream().filter(image -> group != null && of(image) == group).forEach(this::leave);
    return group;
  }

  private void leave(final Image image) {
    final Group group = byImage.remove(image.id());
    group.take(image);
    if (group.isEmpty()) {
      byNumber.remove(group.number(), group);
    }
  }

  public boolean isSetAside(final Image image) {
    return setAside.contains(image);
  }

  /** Lets images be in groups again that were set aside. */
  public void endSettingAside(final List<Image> images) {
    images.forEach(setAside::remove);
  }

  /** An image that was set aside is in its group again, as it was committed. */
  public void enterAgain(final Group former, final Image image, final String path) {
    final Group group = byNumber.getOrDefault(former.number(), former);
    put(group);
    group.enter(image, path, true);
    byImage.put(image.id(), group);
  }

  private void put(final Group group) {
    byNumber.put(group.number(), group);
    group.rounds(rounds.getOrDefault(group.number(), new Rounds()));
  }

  /** Notes a writing that the files of a group have no more. */
  void gone(final long number, final Entry.Writing writing) {
    final Rounds its = rounds.computeIfAbsent(number, any -> new Rounds());
    its.add(writing);
    if (byNumber.containsKey(number)) {
      byNumber.get(number).rounds(its);
    }
  }

  /** A checkpoint has no file any more, so that its former ones count for nothing. */
  void vanished(final long number) {
    if (!byNumber.containsKey(number)) {
      rounds.remove(number);
    }
  }

  public boolean isVanished(final long number) {
    return !byNumber.containsKey(number) && rounds.containsKey(number);
  }

  void sum(final Consumer<Entry> to) {
    rounds.forEach(
        (number, its) -> its.sum(writing -> to.accept(new Entry.Gone(0, number, writing))));
    byNumber.values().forEach(group -> to.accept(group.sum()));
  }

  void enter(final Group group) {
    put(group);
    group.images().forEach(image -> byImage.put(image.id(), group));
  }

  /** Adds an image that is in no other group, or learns its new path. */
  public void add(final Group group, final Image image, final String path) {
    put(group);
    group.add(image, path);
    byImage.put(image.id(), group);
  }

  /** The I/O process decided to commit a whole group. */
  public void committed(final long number, final Map<Image, String> paths) {
    paths.keySet().stream()
        .filter(image -> of(image) != null && of(image).number() != number)
        .forEach(this::forget);
    final Group known = byNumber.get(number);
    final Group group = known == null ? new Group(number, false, false) : known;
    group.images().forEach(image -> byImage.remove(image.id()));
    group.committed(paths);
    rounds.remove(number);
    enter(group);
  }

  void rewritten(final Image image) {
    if (byImage.containsKey(image.id())) {
      byImage.get(image.id()).rewritten(image);
    }
  }

  /** An image was opened, closed or abandoned, or has another writer. */
  void update(final Image image) {
    if (byImage.containsKey(image.id())) {
      byImage.get(image.id()).update(image);
    }
  }

  /** Lets go of an image; returns its group if that was the last one of it, else null. */
  Group forget(final Image image) {
    setAside.remove(image);
    final Group group = byImage.remove(image.id());
    if (group != null) {
      group.remove(image);
      if (group.isEmpty()) {
        byNumber.remove(group.number(), group);
        return group;
      }
    }
    return null;
  }

  /** A copy takes an image's place; nothing new to commit. */
  void substitute(final Image image, final Image copy) {
    forget(copy);
    final Group group = byImage.remove(image.id());
    if (group != null) {
      group.substitute(image, copy);
      byImage.put(copy.id(), group);
    }
  }
}
