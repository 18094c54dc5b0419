package org.sluice.iop.journal;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a {@link Ledger} knows of a group of images since its last commit. Images that joined it
 * later are not here: their names tell.
 */
public final class GroupFacts {
  private final Map<Integer, String> members = new TreeMap<>();
  private final Set<Integer> unchanged = new TreeSet<>();
  private boolean changed;
  private boolean rewriting;

  /** As committed. */
  GroupFacts(final List<Entry.Part> parts) {
    parts.forEach(part -> add(part.image(), part.path(), true));
  }

  /** Without images yet. */
  GroupFacts(final boolean changed, final boolean rewriting) {
    this.changed = changed;
    this.rewriting = rewriting;
  }

  void add(final int image, final String path, final boolean same) {
    members.put(image, path);
    if (same) {
      unchanged.add(image);
    }
  }

  void failed() {
    changed = true;
  }

  void rewritten(final int image) {
    changed = true;
    rewriting |= unchanged.remove(image);
  }

  void forget(final int image) {
    members.remove(image);
    rewriting |= unchanged.remove(image);
  }

  void substitute(final int image, final int copy) {
    add(copy, members.remove(image), unchanged.remove(image));
  }

  boolean isEmpty() {
    return members.isEmpty();
  }

  /**
   * Its images.
   *
   * @return paths by image
   */
  public Map<Integer, String> members() {
    return members;
  }

  /**
   * The images that are as they were committed.
   *
   * @return images
   */
  public Set<Integer> unchanged() {
    return unchanged;
  }

  /**
   * Whether there is something that its last commit does not have.
   *
   * @return whether it is to be committed again
   */
  public boolean hasChanged() {
    return changed;
  }

  /**
   * Whether an image of its last commit was rewritten or deleted.
   *
   * @return whether the others have to follow before it is committed again
   */
  public boolean isRewriting() {
    return rewriting;
  }
}
