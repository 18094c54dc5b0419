package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Origin;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.publish.Publisher;

/**
 * The checkpoints that earlier sessions committed in the store, by number. A program that goes on
 * from one of them writes later ones again, which replaces them. Two others must not: a program
 * with another capture directory, and one that began anew beside them. A program that began anew
 * begins at the first of them or before. Numbers say nothing where a program writes them again and
 * again, with others between. Service thread only.
 */
public final class Predecessors {
  private static final String REMEDY =
      "give each simulation a --store of its own, or a --series of its own in a store with series, or remove those by sluice rm";

  private static final long NONE = -1;

  /** Finds out where the checkpoint of a number is from. */
  @FunctionalInterface
  private interface Lookup {
    Origin of(long number) throws IOException;
  }

  /** Lists the numbers of earlier sessions' checkpoints that are there by now. */
  @FunctionalInterface
  private interface Listing {
    Set<Long> numbers() throws IOException;
  }

  private final String capture;

  /**
   * The origins of earlier checkpoints. Where many nodes have a checkpoint, its origin is empty
   * until it is asked for.
   */
  private final NavigableMap<Long, Optional<Origin>> before;

  private final Lookup lookup;

  private final Listing listing;

  /** The first number at the begin of the session, or of its present I/O process. */
  private final Optional<Long> firstBefore;

  /** The numbers of earlier sessions' checkpoints in this node's own store. */
  private final Set<Long> here;

  /** The first checkpoint of this session. */
  private Optional<Long> first;

  private final Set<Long> own;

  /** The number of the last commit that was decided; the one before it may be under way still. */
  private long last;

  /** The numbers that were written again in one session, with others between. */
  private final Set<Long> recurring = new HashSet<>();

  private Predecessors(
      final String capture,
      final Lookup lookup,
      final Listing listing,
      final NavigableMap<Long, Optional<Origin>> before,
      final Set<Long> here,
      final List<Commit> own,
      final Optional<Long> first) {
    this.capture = capture;
    this.lookup = lookup;
    this.listing = listing;
    this.before = before;
    this.firstBefore = before.keySet().stream().findFirst();
    this.here = here;
    this.own = numbers(own);
    this.last = own.isEmpty() ? NONE : own.getLast().number();
    this.first = first;
    before.forEach((number, origin) -> origin.ifPresent(its -> note(number, its)));
  }

  private void note(final long number, final Origin origin) {
    if (origin.recurs()) {
      recurring.add(number);
    }
  }

  /**
   * Collects the checkpoints that were there before a session.
   *
   * @param captured its capture directory; empty where none tells programs apart
   * @param state what a killed I/O process of it has left
   */
  public static Predecessors of(
      final String captured,
      final PosixStore store,
      final Publisher publisher,
      final long sessionId,
      final CheckpointState state)
      throws IOException {
    final NavigableMap<Long, Optional<Origin>> before = new TreeMap<>();
    final List<Commit> own = new ArrayList<>();
    final List<Commit> earlier = new ArrayList<>();
    store
        .commits(damaged -> {})
        .forEach(each -> (each.source().sessionId() == sessionId ? own : earlier).add(each));
    if (!publisher.hasNodes()) {
      earlier.forEach(each -> before.put(each.number(), Optional.of(each.source().origin())));
    }
    own.sort(Comparator.comparingLong(commit -> commit.identity().sequence()));
    publisher.numbersBefore().forEach(number -> before.put(number, Optional.empty()));
    final Optional<Long> first =
        Stream.of(
                own.stream().map(Commit::number),
                state.groups().numbers().stream(),
                state.failed().keySet().stream())
            .flatMap(Function.identity())
            .min(Comparator.naturalOrder());
    return new Predecessors(
        captured.isEmpty() ? "" : Quoting.name(captured),
        publisher::origin,
        () -> publisher.hasNodes() ? before.keySet() : numbers(publisher.earlier(sessionId)),
        before,
        numbers(earlier),
        own,
        first);
  }

  private static Set<Long> numbers(final List<Commit> commits) {
    return commits.stream().map(Commit::number).collect(Collectors.toCollection(HashSet::new));
  }

  public void begins(final long number) {
    first = first.isEmpty() ? Optional.of(number) : first;
  }

  /** All of a checkpoint is written anew, and about to be committed. */
  public void commits(final long number) {
    if (own.contains(number) && last != number) {
      recurring.add(number);
    }
    last = number;
  }

  public void committed(final long number) {
    own.add(number);
  }

  /** Returns where a checkpoint of this session is from. */
  Origin origin(final long number) {
    return new Origin(capture, recurring.contains(number));
  }

  /**
   * Returns why this session must not commit a number; empty where it may. An earlier checkpoint
   * that was removed since is no reason.
   */
  public Optional<Failure> obstacle(final long number) {
    if (refusal(number).isEmpty()) {
      return Optional.empty();
    }
    forgetRemoved();
    return refusal(number);
  }

  private void forgetRemoved() {
    try {
      before.keySet().retainAll(listing.numbers());
    } catch (final IOException e) {
      Warnings.warn("which checkpoints earlier runs have cannot be told: " + e.getMessage());
    }
  }

  private Optional<Failure> refusal(final long number) {
    if (own.contains(number) || !before.containsKey(number)) {
      return Optional.empty();
    }
    final Origin origin = find(number);
    if (isOfAnother(origin)) {
      return refused(
          "the store has one of the files in %s; %s".formatted(origin.capture(), REMEDY));
    }
    return hasBegunAnew()
        ? refused(
            "the store has one of an earlier run, and newer ones up to %d, beside which this program began anew; %s"
                .formatted(before.lastKey(), REMEDY))
        : Optional.empty();
  }

  /**
   * Returns whether an earlier session may have committed a number in this node's store, of files
   * in the same capture directory.
   */
  public boolean isWrittenOver(final long number) {
    return here.contains(number) && !isElsewhere(number);
  }

  /** Returns whether an earlier session has a number with files of another capture directory. */
  private boolean isElsewhere(final long number) {
    return before.containsKey(number) && isOfAnother(find(number));
  }

  private Origin find(final long number) {
    final Origin origin = before.get(number).orElseGet(() -> ask(number));
    before.put(number, Optional.of(origin));
    note(number, origin);
    return origin;
  }

  /**
   * Returns whether a checkpoint is from another capture directory; false also where nothing tells.
   * Any thread.
   */
  public boolean isOfAnother(final Origin origin) {
    return origin.isOfAnother(new Origin(capture, false));
  }

  private Origin ask(final long number) {
    try {
      return lookup.of(number);
    } catch (final IOException e) {
      Warnings.warn(
          "where checkpoint %d of an earlier run is from cannot be told: %s"
              .formatted(number, e.getMessage()));
      return Origin.UNKNOWN;
    }
  }

  private boolean hasBegunAnew() {
    return recurring.isEmpty()
        && first
            .filter(its -> its <= firstBefore.orElseThrow() && its < before.lastKey())
            .isPresent();
  }

  private static Optional<Failure> refused(final String why) {
    return Optional.of(new Failure(CheckpointState.REFUSED, why));
  }
}
