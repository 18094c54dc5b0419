package org.sluice.iop.image;

/**
 * What keeps programs outside Sluice from files that do not hold everything. Service thread only.
 */
public interface OutsideReaders {
  /** None. */
  OutsideReaders NONE =
      new OutsideReaders() {
        @Override
        public void protect(final Image image) {}

        @Override
        public void release(final Image image) {}

        @Override
        public void rest(final Image image) {}
      };

  /**
   * From here on the image's own file may lack bytes, or must not change. Repeating it does
   * nothing.
   *
   * @param image an image of the session
   */
  void protect(Image image);

  /**
   * The image's own file holds everything, or is of no interest any more. Repeating it does
   * nothing.
   *
   * @param image an image of the session
   */
  void release(Image image);

  /**
   * The image gives its descriptor up, and whatever hangs on that. Repeating it does nothing.
   *
   * @param image an image of the session
   */
  void rest(Image image);
}
