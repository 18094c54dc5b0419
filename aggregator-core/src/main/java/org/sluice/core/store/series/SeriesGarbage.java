package org.sluice.core.store.series;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.NoObjectException;

/**
 * The objects that no commit of a series needs. Two kinds may go:
 *
 * <ul>
 *   <li>Objects that earlier runs left. These are parts that were never committed, or are removed
 *       or superseded, and data that no part of a commit names. Their runs are fenced, so none of
 *       these can begin to count. Objects of the last run may belong to a checkpoint under way. A
 *       deleting run may be fenced itself by then, but no later run writes where an earlier one
 *       did.
 *   <li>Objects of a removed commit that no other part of its nodes names.
 * </ul>
 */
public final class SeriesGarbage {
  private final Engine engine;
  private final Names names;

  /** The lookup of the data that a part names. */
  @FunctionalInterface
  public interface Names {
    /**
     * @return keys, see {@link DataKey}, and prefixes of keys, which end in a slash
     * @throws NoObjectException when the part is not there
     */
    Set<String> of(CommittedPart part) throws IOException;
  }

  public SeriesGarbage(final Engine engine, final Names names) {
    this.engine = engine;
    this.names = names;
  }

  /**
   * Finds the garbage of earlier runs.
   *
   * @param begin sequence of the last run's begin, when those counted
   * @return keys; each may be gone already
   * @throws IOException when the search fails; nothing may be deleted then
   */
  public List<String> ofEarlierRuns(final Map<Long, LogEntry.Commit> live, final long begin)
      throws IOException {
    final Set<String> needed = new HashSet<>();
    for (final CommittedPart part : parts(live)) {
      needed.add(part.key().toString());
      needed.addAll(names.of(part));
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
   * Finds the objects of parts whose commits count no more. Only parts of the same nodes in the
   * same runs can name the same objects. Objects named by an unreadable part are left to a later
   * run.
   *
   * @param parts parts that the log has removed, and that no live process needs
   * @param live commits that count since, by sequence
   * @return keys; each may be gone already
   * @throws IOException when the search fails; nothing may be deleted then
   */
  List<String> of(final Set<CommittedPart> parts, final Map<Long, LogEntry.Commit> live)
      throws IOException {
    final Set<CommittedPart> others = new HashSet<>(parts(live));
    for (final String key : engine.list(PartKey.FOLDER)) {
      PartKey.parse(key).map(part -> new CommittedPart(part, 0)).ifPresent(others::add);
    }
    others.removeAll(parts);
    final Set<String> needed = new HashSet<>();
    for (final CommittedPart other : others) {
      if (parts.stream().anyMatch(other::isBeside)) {
        needed.addAll(namesUnlessGone(other));
      }
    }
    final List<String> garbage = new ArrayList<>();
    for (final CommittedPart part : parts) {
      if (part.isObject()) {
        garbage.add(part.key().toString());
      }
      for (final String name : namesIfReadable(part)) {
        garbage.addAll(name.endsWith("/") ? engine.list(name) : List.of(name));
      }
    }
    garbage.removeIf(key -> isNeeded(key, needed));
    return garbage;
  }

  private static List<CommittedPart> parts(final Map<Long, LogEntry.Commit> commits) {
    return commits.entrySet().stream()
        .flatMap(commit -> CommittedPart.of(commit.getKey(), commit.getValue()).stream())
        .toList();
  }

  private Set<String> namesIfReadable(final CommittedPart part) throws IOException {
    try {
      return namesUnlessGone(part);
    } catch (final DamagedException | FormatVersionException unreadable) {
      return Set.of();
    }
  }

  private Set<String> namesUnlessGone(final CommittedPart part) throws IOException {
    try {
      return names.of(part);
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
