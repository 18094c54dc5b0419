package org.sluice.core.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.model.Commit;

/**
 * The need of the next checkpoints in a place, by the one committed last, and the room left there.
 * A store, a stage and a copy are places each.
 *
 * @param each bytes of a checkpoint
 * @param free bytes that are left; the greatest number where there is no limit
 */
public record Capacity(String place, long each, long free) {
  /** {@return empty where none is, or none has bytes, so that nobody can tell} */
  public static Optional<Capacity> of(final Path directory, final List<Commit> commits)
      throws IOException {
    final Optional<Commit> newest =
        commits.stream().max(Comparator.comparing(commit -> commit.identity().time()));
    if (newest.isEmpty() || newest.get().content().bytes() == 0) {
      return Optional.empty();
    }
    final String place = directory.toAbsolutePath().normalize().toString();
    try (NativeFile opened = NativeFile.open(place, Flag.DIRECTORY)) {
      return Optional.of(new Capacity(place, newest.get().content().bytes(), opened.room().free()));
    }
  }

  /** Returns whether the place can get full at all: not where memory has no limit. */
  public boolean isLimited() {
    return free < Long.MAX_VALUE;
  }

  /** The number of further checkpoints that there is room for. */
  public long more() {
    return free / each;
  }

  /**
   * The lack of room, for people.
   *
   * @param keep the number of checkpoints that stay, 0 for all
   * @param counted the number of checkpoints there whose room will be used again
   * @return empty when the checkpoints that stay fit together with the one being written
   */
  public Optional<String> lack(final int keep, final long counted) {
    final long count = keep == 0 ? 1 : Math.max(1, keep + 1 - counted);
    return more() >= count
        ? Optional.empty()
        : Optional.of(
            "%s has %s free, and will need %s for checkpoints like the last one (%d at a time); make room%s"
                .formatted(
                    place,
                    SizeConverter.format(free),
                    SizeConverter.format(each * count),
                    count,
                    keep == 1 ? "" : ", or --keep fewer"));
  }

  @Override
  public String toString() {
    return "room for %d more checkpoints of %s in %s: %s free"
        .formatted(more(), SizeConverter.format(each), place, SizeConverter.format(free));
  }
}
