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
 * @param sequence one more than that of the commit before, in the whole store
 * @param time when, by the node's clock
 * @param node the node that wrote it
 * @param job a name for the job
 * @param origin where its files are from
 * @param layout where its bytes landed
 * @param ranks ranks of the job, 0 when unknown; without a part it must have images of all
 * @param part the ranks whose images it has, if the job has others on other nodes; else none
 * @param completion by what it counts as complete; empty when its version does not tell
 * @param incomplete whether a file joined it after its commit: never the newest
 * @param sessionId the session that wrote its chunks
 * @param imageCount how many images it has
 * @param bytes the sum of their sizes
 * @param containers ids of the containers of its chunks
 * @param before ids of the commits that were the last ones before it; fewer than all
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
   * The same, which a file has joined since.
   *
   * @return never the newest
   */
  public Commit markedIncomplete() {
    return with(true, containers);
  }

  /**
   * The same, copied to an engine.
   *
   * @return without containers
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
   * What of a checkpoint it is.
   *
   * @return such as {@code node b17's part: ranks 0-3 of 8}; empty for all of it
   */
  public Optional<String> share() {
    return part.isEmpty()
        ? Optional.empty()
        : Optional.of("node %s's part: ranks %s of %d".formatted(node, part, ranks));
  }

  /**
   * What a user has to know of it before using it.
   *
   * @return {@link #share()}, and that it is incomplete, as far as they apply; empty for neither
   */
  public Optional<String> caveat() {
    return Stream.of(share(), incomplete ? Optional.of(INCOMPLETE) : Optional.<String>empty())
        .flatMap(Optional::stream)
        .reduce((share, lack) -> share + "; " + lack);
  }
}
