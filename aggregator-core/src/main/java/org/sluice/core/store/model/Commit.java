package org.sluice.core.store.model;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.sluice.core.segment.Layout;

/**
 * A committed checkpoint.
 *
 * @param number the checkpoint's number
 * @param id random, tells two commits of a number apart
 * @param sequence 1 more than that of the commit before, in the whole store
 * @param time time of the commit, by the node's clock
 * @param node the node that wrote it
 * @param job a name for the job
 * @param origin program whose files it has
 * @param layout layout of its bytes
 * @param ranks ranks of the job, 0 when unknown; without a part it must have images of all
 * @param part the ranks whose images it has, if the job has others on other nodes; else none
 * @param completion reason why it counts as complete; empty when its version does not tell
 * @param incomplete true if a file joined it after its commit: never the newest
 * @param sessionId the session that wrote its chunks
 * @param imageCount number of its images
 * @param bytes the sum of their sizes
 * @param containers ids of the containers of its chunks
 * @param before ids of the commits that were the last before it; not of all
 */
public record Commit(
    long number,
    long id,
    long sequence,
    Instant time,
    String node,
    String job,
    Origin origin,
    Layout layout,
    int ranks,
    RankSet part,
    Optional<Completion> completion,
    boolean incomplete,
    long sessionId,
    int imageCount,
    long bytes,
    List<Long> containers,
    List<Long> before) {
  private static final String INCOMPLETE = "incomplete: files joined it after its commit";

  /**
   * Returns the same commit, which a file has joined since.
   *
   * @return commit that is never the newest
   */
  public Commit markedIncomplete() {
    return with(true, containers);
  }

  /**
   * Returns the same commit, copied to an engine.
   *
   * @return commit without containers
   */
  public Commit copied() {
    return with(incomplete, List.of());
  }

  private Commit with(final boolean nowIncomplete, final List<Long> nowContainers) {
    return new Commit(
        number,
        id,
        sequence,
        time,
        node,
        job,
        origin,
        layout,
        ranks,
        part,
        completion,
        nowIncomplete,
        sessionId,
        imageCount,
        bytes,
        nowContainers,
        before);
  }

  /**
   * Returns the share of a checkpoint that this commit has.
   *
   * @return such as {@code node b17's part: ranks 0-3 of 8}; empty for all of it
   */
  public Optional<String> share() {
    return part.isEmpty()
        ? Optional.empty()
        : Optional.of("node %s's part: ranks %s of %d".formatted(node, part, ranks));
  }

  /**
   * Returns the caveats that a user has to know before using the checkpoint.
   *
   * @return {@link #share()}, and that it is incomplete, as far as they apply; empty for neither
   */
  public Optional<String> caveat() {
    return Stream.of(share(), incomplete ? Optional.of(INCOMPLETE) : Optional.<String>empty())
        .flatMap(Optional::stream)
        .reduce((share, lack) -> share + "; " + lack);
  }
}
