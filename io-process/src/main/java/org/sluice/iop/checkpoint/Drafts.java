package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.model.CommitSource;
import org.sluice.core.store.model.JobCoverage;
import org.sluice.core.store.node.Draft;
import org.sluice.core.store.node.DraftImage;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;

/** The drafts of a session's commits. */
public final class Drafts {
  private final String node;
  private final String job;
  private final Layout layout;
  private final CheckpointStorage storage;
  private final IncrementalSources sources;

  /**
   * Creates the drafts of a session.
   *
   * @param node name of this node
   * @param job name of the job in its checkpoints
   * @param layout place where its bytes land
   */
  public Drafts(
      final String node, final String job, final Layout layout, final CheckpointStorage storage) {
    this.node = node;
    this.job = job;
    this.layout = layout;
    this.storage = storage;
    this.sources = new IncrementalSources(storage.store(), storage.sessionId());
  }

  /** Begins the draft of a decided commit, without images. Service thread only. */
  Draft begin(final Entry.Committing decision) {
    return new Draft(
        decision.checkpoint(),
        decision.name(),
        new CommitSource(
            node, job, storage.predecessors().origin(decision.checkpoint()), storage.sessionId()),
        new JobCoverage(decision.ranks(), decision.part()),
        layout,
        decision.completion(),
        new ArrayList<>());
  }

  /** Has an image go on from the checkpoint that its rank said. Write stage only. */
  DraftImage join(final Image image, final DraftImage draft) throws IOException {
    return sources.join(image, draft);
  }
}
