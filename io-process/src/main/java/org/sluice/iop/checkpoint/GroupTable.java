package org.sluice.iop.checkpoint;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.agrona.collections.Int2ObjectHashMap;
import org.sluice.iop.image.Image;

/**
 * The groups. An image is in one at most. Entries tell those that were committed, as of their last
 * commit; what joined them later the names of files tell. Service thread only.
 */
final class GroupTable {
  private final Map<Long, Group> byNumber = new LinkedHashMap<>();
  private final Int2ObjectHashMap<Group> byImage = new Int2ObjectHashMap<>();

  Collection<Group> all() {
    return Collections.unmodifiableCollection(byNumber.values());
  }

  List<Long> numbers() {
    return List.copyOf(byNumber.keySet());
  }

  /** The group of a checkpoint; null when there is none. */
  Group find(final long number) {
    return byNumber.get(number);
  }

  /** The group that has an image; null when none has. */
  Group of(final Image image) {
    return byImage.get(image.id());
  }

  /** The images of a group that are in a checkpoint as they are. */
  Set<Image> committed(final long number) {
    return byNumber.containsKey(number)
        ? byNumber.get(number).unchanged().stream()
            .filter(Image::isCommitted)
            .collect(Collectors.toSet())
        : Set.of();
  }

  void enter(final Group group) {
    byNumber.put(group.number(), group);
    group.images().forEach(image -> byImage.put(image.id(), group));
  }

  /** Adds an image that is in no other group, or learns its new path. */
  void add(final Group group, final Image image, final String path) {
    group.add(image, path);
    byNumber.put(group.number(), group);
    byImage.put(image.id(), group);
  }

  /** The I/O process decided to commit a whole group. */
  void committed(final long number, final Map<Image, String> paths) {
    paths.keySet().stream()
        .filter(image -> of(image) != null && of(image).number() != number)
        .forEach(this::forget);
    final Group known = byNumber.get(number);
    final Group group = known == null ? new Group(number, false, false) : known;
    group.images().forEach(image -> byImage.remove(image.id()));
    group.committed(paths);
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
