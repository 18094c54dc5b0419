package org.sluice.core.segment;

/**
 * The place where drained bytes land, and all that follows from it. The other classes know no
 * layout by its name: they ask for the decision that they have to make.
 */
public enum Layout {
  /** Chunks go to containers as they lie; a file has its bytes once it is settled. */
  CONTAINER(HeaderDescriptor.LAYOUT_CONTAINER),

  /** Extents go to the files themselves, which stay where the program put them. */
  FILES(HeaderDescriptor.LAYOUT_FILES);

  private final int code;

  Layout(final int code) {
    this.code = code;
  }

  static Layout of(final int code) {
    return code == FILES.code ? FILES : CONTAINER;
  }

  int code() {
    return code;
  }

  @Override
  public String toString() {
    return this == FILES ? "files" : "container";
  }

  /** {@return whether the drain writes extents of diverted images to the images' own files} */
  public boolean drainsToFiles() {
    return this == FILES;
  }

  /**
   * {@return whether who chose the layout wants checkpoints though no option says which files are
   * one} A program whose files are plain anyway may have nothing to do with checkpoints. Such a
   * program must not pay for them then, nor fail with them.
   */
  public boolean impliesCheckpoints() {
    return this == CONTAINER;
  }

  /**
   * {@return whether a checkpoint names files, which its program may then rename, write over or
   * delete} Otherwise the store has their bytes, and their names go at the end.
   */
  public boolean commitsNames() {
    return this == FILES;
  }

  /**
   * {@return whether nobody needs an image of no checkpoint any more when its last opener has
   * closed it}
   */
  public boolean forgetsClosed() {
    return this == FILES;
  }

  /** {@return whether programs outside find in a file what was written half a second ago} */
  public boolean showsWrites() {
    return this == FILES;
  }

  /**
   * {@return whether an image that waits in vain for the commit of its checkpoint is made a plain
   * file}
   */
  public boolean settlesUncommitted() {
    return this == CONTAINER;
  }

  /** {@return whether a closed file gets its length before it has its bytes} */
  public boolean lengthensClosed() {
    return this == CONTAINER;
  }

  /** {@return whether a process tells of each file, also of one that stays small} */
  public boolean tellsOfSmall() {
    return this == CONTAINER;
  }
}
