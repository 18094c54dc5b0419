package org.sluice.core.store.model;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.posix.Quoting;
import org.sluice.core.segment.Layout;

/**
 * A committed checkpoint.
 *
 * @param completion reason why it counts as complete; empty when its version does not tell
 * @param incomplete true if a file joined it after its commit: never the newest
 */
public record Commit(
    CommitIdentity identity,
    CommitSource source,
    JobCoverage coverage,
    Layout layout,
    Optional<Completion> completion,
    boolean incomplete,
    CommitContent content) {
  private static final int MOST_SHOWN = 3;
  private static final String INCOMPLETE = "incomplete: files joined it after its commit";

  public long number() {
    return identity.number();
  }

  /** Returns the random id that tells two commits of a number apart. */
  public long id() {
    return identity.id();
  }

  /** Returns the name beside its number; empty for none. */
  public Optional<String> name() {
    return identity.names().stream().findFirst();
  }

  /** Returns its number, and its name behind that. */
  public String title() {
    return number() + name().map(name -> " (%s)".formatted(Quoting.name(name))).orElse("");
  }

  /** Returns the same commit, which a file has joined since: never the newest. */
  public Commit markedIncomplete() {
    return new Commit(identity, source, coverage, layout, completion, true, content);
  }

  /** Returns the same commit, copied to an engine: without containers. */
  public Commit copied() {
    final CommitContent copy = new CommitContent(content.images(), content.bytes(), List.of());
    return new Commit(identity, source, coverage, layout, completion, incomplete, copy);
  }

  /**
   * Returns what part of a checkpoint it is, such as {@code node b17's part: ranks 0-3 of 8}; empty
   * for all of it. The last rank of all may have been put by itself, as a stream of which nobody
   * said how many there are.
   */
  public Optional<String> share() {
    final RankSet part = coverage.part();
    if (part.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        part.list().equals(List.of(coverage.ranks() - 1))
            ? "rank %s alone: of sluice put without --join, or node %s's part of %d ranks"
                .formatted(part, source.node(), coverage.ranks())
            : "node %s's part: ranks %s of %d".formatted(source.node(), part, coverage.ranks()));
  }

  /**
   * Returns {@link #share()}, that its nodes disagree, and that it is incomplete, as far as they
   * apply.
   */
  public Optional<String> caveat() {
    return Stream.of(
            share(), otherNames(), incomplete ? Optional.of(INCOMPLETE) : Optional.<String>empty())
        .flatMap(Optional::stream)
        .reduce((share, lack) -> share + "; " + lack);
  }

  /** Returns the names that other nodes give it, and which one counts; empty where all agree. */
  private Optional<String> otherNames() {
    final List<String> names = identity.names();
    return names.size() < 2
        ? Optional.empty()
        : Optional.of(
            "called %s by other nodes: %s counts, as the lowest rank with a name gave it"
                .formatted(
                    names.stream()
                        .skip(1)
                        .limit(MOST_SHOWN)
                        .map(Quoting::name)
                        .collect(Collectors.joining(", ")),
                    Quoting.name(names.getFirst())));
  }
}
