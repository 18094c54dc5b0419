package org.sluice.core.store.model;

import java.util.List;

/**
 * The extent of a commit.
 *
 * @param images number of its images
 * @param bytes the sum of their sizes
 * @param containers ids of the containers of its chunks
 */
public record CommitContent(int images, long bytes, List<Long> containers) {
  /** Returns the content of a commit whose chunks are in these containers. */
  public static CommitContent of(final List<CommittedImage> images, final List<Long> containers) {
    return new CommitContent(
        images.size(), images.stream().mapToLong(CommittedImage::size).sum(), containers);
  }
}
