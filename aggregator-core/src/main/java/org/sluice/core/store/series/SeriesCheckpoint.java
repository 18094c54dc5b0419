package org.sluice.core.store.series;

import static java.util.Comparator.comparingInt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommitContent;
import org.sluice.core.store.model.CommitIdentity;
import org.sluice.core.store.model.CommitSource;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.JobCoverage;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.model.Sharing;

/**
 * A checkpoint of a series that counts, merged from the parts of all nodes. Its images are numbered
 * through all parts, and no two nodes' images have one id.
 */
final class SeriesCheckpoint {
  private final Commit commit;
  private final List<PartReader.Part> parts;
  private final List<Origin> origins;
  private final List<CommittedImage> images;

  /** The place of an image: its part, and the image there. */
  record Origin(PartReader.Part part, CommittedImage image) {}

  private SeriesCheckpoint(
      final Commit commit,
      final List<PartReader.Part> parts,
      final List<Origin> origins,
      final List<CommittedImage> images) {
    this.commit = commit;
    this.parts = parts;
    this.origins = origins;
    this.images = images;
  }

  static SeriesCheckpoint of(
      final long sequence, final LogEntry.Commit entry, final List<PartReader.Part> parts) {
    final List<Origin> origins = new ArrayList<>();
    final List<CommittedImage> images = new ArrayList<>();
    final Map<String, CommittedImage> direct = lastSeen(parts);
    int ids = 0;
    for (final PartReader.Part part : parts) {
      int most = 0;
      for (final CommittedImage image : part.images()) {
        most = Math.max(most, image.imageId());
        if (!image.isDirect() || direct.remove(image.sharing().file(), image)) {
          origins.add(new Origin(part, image));
          images.add(image.renumbered(images.size(), ids + image.imageId()));
        }
      }
      ids += most + 1;
    }
    return new SeriesCheckpoint(merged(sequence, entry, parts, images), parts, origins, images);
  }

  /**
   * Returns the last description of each direct file. Each node describes such a file as it left
   * it; the last one counts.
   */
  private static Map<String, CommittedImage> lastSeen(final List<PartReader.Part> parts) {
    final Map<String, CommittedImage> last = new HashMap<>();
    for (final PartReader.Part part : parts) {
      for (final CommittedImage image : Sharing.direct(part.images())) {
        last.merge(image.sharing().file(), image, SeriesCheckpoint::later);
      }
    }
    return last;
  }

  private static CommittedImage later(final CommittedImage one, final CommittedImage other) {
    return one.sharing().modified() < other.sharing().modified() ? other : one;
  }

  private static Commit merged(
      final long sequence,
      final LogEntry.Commit entry,
      final List<PartReader.Part> parts,
      final List<CommittedImage> images) {
    final Commit first = parts.getFirst().commit();
    return new Commit(
        new CommitIdentity(
            entry.number(), sequence, names(parts), sequence, entry.time(), List.of()),
        new CommitSource(
            parts.size() == 1 ? first.source().node() : parts.size() + " nodes",
            first.source().job(),
            first.source().origin(),
            first.source().sessionId()),
        new JobCoverage(coversAll(entry) ? first.coverage().ranks() : 0, RankSet.NONE),
        first.layout(),
        first.completion(),
        false,
        CommitContent.of(images, List.of()));
  }

  /** Returns the names that nodes give it, each once. The node with the lowest rank comes first. */
  private static List<String> names(final List<PartReader.Part> parts) {
    return parts.stream()
        .map(PartReader.Part::commit)
        .sorted(comparingInt(SeriesCheckpoint::lowestRank))
        .flatMap(part -> part.identity().names().stream())
        .distinct()
        .toList();
  }

  private static int lowestRank(final Commit part) {
    final RankSet ranks = part.coverage().part();
    return ranks.isEmpty() ? 0 : ranks.list().getFirst();
  }

  /**
   * Returns whether the parts must cover all ranks. Where a marker or the writers of each node
   * complete the checkpoint, no rank is known to be missing.
   */
  private static boolean coversAll(final LogEntry.Commit entry) {
    return entry.keys().stream().allMatch(part -> part.coverage().equals(RequiredRanks.ALL));
  }

  /**
   * Returns the commit of all nodes; incomplete when a file joined it on some node after its
   * commit.
   */
  Commit commit() {
    return parts.stream().anyMatch(PartReader.Part::isIncomplete)
        ? commit.markedIncomplete()
        : commit;
  }

  List<PartReader.Part> parts() {
    return parts;
  }

  List<CommittedImage> images() {
    return images;
  }

  Origin originOf(final CommittedImage image) {
    return origins.get(image.ordinal());
  }
}
