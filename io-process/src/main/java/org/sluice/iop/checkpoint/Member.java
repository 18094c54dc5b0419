package org.sluice.iop.checkpoint;

import org.sluice.iop.image.Image;

/**
 * An image in a checkpoint.
 *
 * @param image the image, closed
 * @param path what the checkpoint calls it
 * @param rank who wrote it, -1 unknown
 * @param ranks ranks of the job that wrote it, 0 unknown
 */
record Member(Image image, String path, int rank, int ranks) {
  static Member of(final Image image, final String path) {
    return new Member(image, path, image.writer().rank(), image.writer().ranks());
  }
}
