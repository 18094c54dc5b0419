package org.sluice.iop.trigger;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.model.RankSet;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.journal.Entry;

/**
 * The list of files and checkpoints not committed at this moment, for a user whose job may be
 * killed next. Service thread only.
 */
public final class Unfinished {
  private static final int MOST_LINES = 8;

  private final CheckpointState state;
  private final Grouping grouping;
  private final CheckpointStorage storage;
  private final CapturedFiles files;
  private final Drain drain;

  public Unfinished(
      final CheckpointState state,
      final Grouping grouping,
      final CheckpointStorage storage,
      final CapturedFiles files,
      final Drain drain) {
    this.state = state;
    this.grouping = grouping;
    this.storage = storage;
    this.files = files;
    this.drain = drain;
  }

  /** Returns a line for each checkpoint, and one for files of none; limited in number. */
  public List<String> lines() {
    final List<String> lines = new ArrayList<>();
    final Set<Long> decided =
        state.commits().stream().map(Entry.Committing::checkpoint).collect(Collectors.toSet());
    decided.forEach(number -> lines.add(line(number, whyUnderWay(number))));
    state.underWay().values().forEach(one -> lines.add(line(one.number(), one.progress())));
    state.groups().all().stream()
        .filter(group -> group.hasChanged() && !decided.contains(group.number()))
        .forEach(
            group ->
                lines.add(
                    line(
                        group.number(),
                        group.isQuiet() && group.isWhole(grouping) && group.isOfOneRound(grouping)
                            ? "its commit is still to begin"
                            : group.obstacle(grouping))));
    storage.publisher().uploads().numbers().stream()
        .map(
            number ->
                "checkpoint %d is yet only in %s of this node%s"
                    .formatted(number, storage.store().directory(), whyOnlyHere(number)))
        .forEach(lines::add);
    return limited(lines);
  }

  /** Returns a line on files that may not yet be as their program wrote them, or none. */
  public List<String> incompleteFiles() {
    final boolean logged =
        !drain.layout().showsWrites()
            && files.registry().all().stream()
                .anyMatch(one -> one.state() == ImageDescriptor.STATE_DIVERTED && one.hasBytes());
    return files.capture().path() == null || drain.isEmpty() && !logged
        ? List.of()
        : List.of("files in %s may lack bytes yet".formatted(files.capture().path()));
  }

  private static String line(final long number, final String why) {
    return "checkpoint %d is not committed yet: %s".formatted(number, why);
  }

  private String whyUnderWay(final long number) {
    final RankSet missing =
        storage.publisher().awaitsNodes() ? storage.publisher().missing(number) : RankSet.NONE;
    return missing.isEmpty()
        ? "it is on its way to storage"
        : "the parts of ranks %s are missing".formatted(missing);
  }

  private String whyOnlyHere(final long number) {
    final RankSet missing = storage.publisher().missing(number);
    return missing.isEmpty() ? "" : ": the parts of ranks %s are missing".formatted(missing);
  }

  private static List<String> limited(final List<String> lines) {
    if (lines.size() <= MOST_LINES) {
      return lines;
    }
    final List<String> some = new ArrayList<>(lines.subList(0, MOST_LINES));
    some.add("so it is with others: checkpoints=%d".formatted(lines.size() - MOST_LINES));
    return some;
  }
}
