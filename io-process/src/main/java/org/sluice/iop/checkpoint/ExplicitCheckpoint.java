package org.sluice.iop.checkpoint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.RankSet;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;

/** A checkpoint that its ranks begin, fill and complete by requests. Service thread only. */
public final class ExplicitCheckpoint {
  private final long number;
  private final Entry.Scope scope;
  private final Set<Integer> complete = new TreeSet<>();
  private final Map<String, Image> members = new LinkedHashMap<>();
  private boolean decided;

  ExplicitCheckpoint(final long number, final Entry.Scope scope) {
    this.number = number;
    this.scope = scope;
  }

  public long number() {
    return number;
  }

  public int ranks() {
    return scope.ranks();
  }

  /** The ranks whose images a commit of this checkpoint has. */
  public CommitRanks commitRanks() {
    return scope.spread()
        ? new CommitRanks(ranks(), RankSet.of(complete.stream().mapToInt(Integer::intValue)))
        : new CommitRanks(ranks(), RankSet.NONE);
  }

  /** Adds an image, in place of one of the same name; its rank is not complete any more. */
  void add(final Image image, final int rank, final String name) {
    complete.remove(rank);
    members.put(path(rank, name), image);
  }

  public Optional<Image> find(final int rank, final String name) {
    return Optional.ofNullable(members.get(path(rank, name)));
  }

  void remove(final Image image) {
    members.values().remove(image);
  }

  void sum(final Consumer<Entry> to) {
    to.accept(new Entry.Begun(number, scope));
    images().forEach(image -> to.accept(image.created()));
    complete.forEach(rank -> to.accept(new Entry.Completed(number, rank, Lane.NO_SLOT, 0)));
    if (decided) {
      to.accept(new Entry.Decided(number, true));
    }
  }

  /** Returns where an image of an explicit checkpoint is restored. */
  public static String path(final int rank, final String name) {
    return "rank-%04d/%s".formatted(rank, name);
  }

  /** The images a rank still has open. */
  public List<Image> openImages(final int rank) {
    return members.values().stream()
        .filter(image -> image.created().rank() == rank && !image.openers().isEmpty())
        .toList();
  }

  void complete(final int rank) {
    complete.add(rank);
  }

  public int completeRanks() {
    return complete.size();
  }

  public int expectedRanks() {
    return scope.expected();
  }

  public boolean isComplete() {
    return complete.size() >= scope.expected();
  }

  /** Returns whether the checkpoint waits for a decision, however complete it is. */
  public boolean isHeld() {
    return scope.held() && !decided;
  }

  public Completion completion() {
    return scope.held() ? Completion.MPI : Completion.API;
  }

  void decide() {
    decided = true;
  }

  public List<Entry.Part> members() {
    final List<Entry.Part> parts = new ArrayList<>();
    members.forEach(
        (path, image) ->
            parts.add(new Entry.Part(image.id(), path, image.created().rank(), ranks(), false)));
    return parts;
  }

  public List<Image> images() {
    return List.copyOf(members.values());
  }
}
