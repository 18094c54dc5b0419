package org.sluice.core.store.node;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommitSource;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.JobCoverage;

/**
 * A checkpoint about to be committed.
 *
 * @param number its number, 0 or more
 * @param name its name; empty for none
 * @param images its images; no two have the same path
 */
public record Draft(
    long number,
    String name,
    CommitSource source,
    JobCoverage coverage,
    Layout layout,
    Completion completion,
    List<DraftImage> images) {
  /** The checkpoint that has bytes of it, which all of its images have in common. */
  Optional<Commit> base() throws IOException {
    Commit found = null;
    for (final DraftImage image : images) {
      final Commit base = image.base() == null ? found : image.base().commit();
      if (found != null && base.id() != found.id()) {
        throw new IOException("checkpoint %d has bytes of two others".formatted(number));
      }
      found = base;
    }
    return Optional.ofNullable(found);
  }
}
