package org.sluice.core.series;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.engine.Engine;
import org.sluice.core.engine.NoObjectException;

/**
 * What no commit of a series needs. Two things may go:
 *
 * <ul>
 *   <li>What earlier runs left: parts that were never committed, or are removed or superseded, and
 *       data that no part of a commit names. They are fenced, so nothing of theirs can begin to
 *       count. What the last run has may be of a checkpoint under way. Who deletes may be fenced
 *       itself by then, but no later run writes where an earlier one did.
 *   <li>What a removed commit had and no other part of its nodes has.
 * </ul>
 */
public final class SeriesGarbage {
  private final Engine engine;
  private final Names names;

  /** Which data a part names. */
  @FunctionalInterface
  public interface Names {
    /**
     * The data that a part needs.
     *
     * @param part the part's key
     * @return keys, see {@link DataKey}, and prefixes of keys, which end in a slash
     * @throws NoObjectException when it is not there
     * @throws IOException when it cannot be read
     */
    Set<String> of(String part) throws IOException;
  }

  /**
   * The garbage of a series.
   *
   * @param engine where the series is
   * @param names reads parts
   */
  public SeriesGarbage(final Engine engine, final Names names) {
    this.engine = engine;
    this.names = names;
  }

  /**
   * Finds what earlier runs left.
   *
   * @param live the commits that count
   * @param begin the sequence of the last run's begin, when those counted
   * @return keys; each may be gone already
   * @throws IOException when that fails; nothing may go then
   */
  public List<String> ofEarlierRuns(final Collection<LogEntry.Commit> live, final long begin)
      throws IOException {
    final Set<String> needed = new HashSet<>();
    for (final LogEntry.Commit commit : live) {
      for (final String part : commit.keys()) {
        needed.add(part);
        needed.addAll(names.of(part));
      }
    }
    final List<String> garbage = new ArrayList<>();
    for (final String key : engine.list(PartKey.FOLDER)) {
      if (PartKey.parse(key).filter(part -> part.begin() < begin).isPresent()) {
        garbage.add(key);
      }
    }
    for (final String key : engine.list(DataKey.FOLDER)) {
      if (DataKey.parse(key).filter(data -> data.begin() < begin).isPresent()) {
        garbage.add(key);
      }
    }
    garbage.removeIf(key -> isNeeded(key, needed));
    return garbage;
  }

  /**
   * Finds what parts of commits had that count no more. Only parts of the same nodes in the same
   * runs can name the same. What one names that cannot be read is left to a later run.
   *
   * @param parts the keys of parts that the log has removed, and that no live process needs
   * @return keys; each may be gone already
   * @throws IOException when that fails; nothing may go then
   */
  public List<String> of(final Set<String> parts) throws IOException {
    final Set<Optional<String>> places = new HashSet<>();
    parts.forEach(part -> places.add(placeOf(part)));
    final Set<String> needed = new HashSet<>();
    for (final String other : engine.list(PartKey.FOLDER)) {
      if (!parts.contains(other) && places.contains(placeOf(other))) {
        needed.addAll(namesOf(other));
      }
    }
    final List<String> garbage = new ArrayList<>(parts);
    for (final String part : parts) {
      for (final String name : readableNamesOf(part)) {
        garbage.addAll(name.endsWith("/") ? engine.list(name) : List.of(name));
      }
    }
    garbage.removeIf(key -> isNeeded(key, needed));
    return garbage;
  }

  private static Optional<String> placeOf(final String part) {
    return PartKey.parse(part).map(key -> key.begin() + "-" + key.node());
  }

  private Set<String> readableNamesOf(final String part) throws IOException {
    try {
      return namesOf(part);
    } catch (final DamagedException | FormatVersionException unreadable) {
      return Set.of();
    }
  }

  /** Nothing for one that is gone. */
  private Set<String> namesOf(final String part) throws IOException {
    final Optional<PartKey> key = PartKey.parse(part);
    try {
      return key.isPresent() ? names.of(part) : Set.of();
    } catch (final NoObjectException gone) {
      return Set.of();
    }
  }

  private static boolean isNeeded(final String key, final Set<String> needed) {
    boolean is = needed.contains(key);
    for (int end = key.indexOf('/'); end >= 0 && !is; end = key.indexOf('/', end + 1)) {
      is = needed.contains(key.substring(0, end + 1));
    }
    return is;
  }
}
