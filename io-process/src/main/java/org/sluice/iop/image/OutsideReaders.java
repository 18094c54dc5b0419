package org.sluice.iop.image;

/**
 * The protection of programs outside Sluice from files that do not hold everything. Service thread
 * only.
 */
public interface OutsideReaders {
  /** No protection. */
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
   * Protects the image's own file, which may lack bytes from here on, or must not change. A
   * repetition does nothing.
   */
  void protect(Image image);

  /**
   * Ends the protection: the image's own file holds everything, or is of no interest any more. A
   * repetition does nothing.
   */
  void release(Image image);

  /**
   * Ends the part of the protection that needs the image's descriptor, which is given up. A
   * repetition does nothing.
   */
  void rest(Image image);
}
