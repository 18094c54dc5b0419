package org.sluice.iop.checkpoint;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sluice.iop.image.Image;

/** A checkpoint that its ranks begin, fill and complete by requests. Service thread only. */
final class ExplicitCheckpoint {
  private final long number;
  private final int ranks;
  private final Set<Integer> complete = new HashSet<>();
  private final Map<String, Member> members = new LinkedHashMap<>();

  ExplicitCheckpoint(final long number, final int ranks) {
    this.number = number;
    this.ranks = ranks;
  }

  long number() {
    return number;
  }

  int ranks() {
    return ranks;
  }

  /**
   * Adds an image; its rank is not complete any more.
   *
   * @return the image that had the name before
   */
  Optional<Image> add(final Image image, final int rank, final String name) {
    complete.remove(rank);
    final String path = path(rank, name);
    final Member before = members.put(path, new Member(image, path, rank, ranks));
    return Optional.ofNullable(before).map(Member::image);
  }

  /** Where an image of an explicit checkpoint is restored. */
  static String path(final int rank, final String name) {
    return "rank-%04d/%s".formatted(rank, name);
  }

  /** The images a rank still has open. */
  List<Image> openImages(final int rank) {
    return members.values().stream()
        .filter(member -> member.rank() == rank && !member.image().openers().isEmpty())
        .map(Member::image)
        .toList();
  }

  /** A rank has written all its images. */
  void complete(final int rank) {
    complete.add(rank);
  }

  /** How many ranks have. */
  int completeRanks() {
    return complete.size();
  }

  /** Whether all ranks have. */
  boolean isComplete() {
    return complete.size() == ranks;
  }

  List<Member> members() {
    return new ArrayList<>(members.values());
  }

  List<Image> images() {
    return members.values().stream().map(Member::image).toList();
  }
}
