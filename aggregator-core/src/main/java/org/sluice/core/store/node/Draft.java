package org.sluice.core.store.node;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.model.RankSet;

/**
 * A checkpoint about to be committed.
 *
 * @param number its number, 0 or more
 * @param node the node that wrote it
 * @param job a name for the job
 * @param origin where its files are from
 * @param layout where its bytes landed
 * @param ranks ranks of the job, 0 when unknown; without a part it must have images of all
 * @param part the ranks whose images it has, if the job has others on other nodes; else none
 * @param completion by what it counts as complete
 * @param sessionId the session that wrote its chunks
 * @param images its images; no two have the same path
 */
public record Draft(
    long number,
    String node,
    String job,
    Origin origin,
    Layout layout,
    int ranks,
    RankSet part,
    Completion completion,
    long sessionId,
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
