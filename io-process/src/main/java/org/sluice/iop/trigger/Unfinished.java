package org.sluice.iop.trigger;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.model.RankSet;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.journal.Entry;

/**
 * The list of files and checkpoints not committed at this moment, for a user whose job may be
 * killed next. Service thread only.
 */
public final class Unfinished {
  private static final int MOST_LINES = 8;

  private Unfinished() {}

  /** Returns a line for each checkpoint, and one for files of none; limited in number. */
  public static List<String> lines(final Context context) {
    final List<String> lines = new ArrayList<>();
    final Set<Long> decided =
        context.state().commits().stream()
            .map(Entry.Committing::checkpoint)
            .collect(Collectors.toSet());
    decided.forEach(number -> lines.add(line(number, whyUnderWay(context, number))));
    context
        .state()
        .underWay()
        .values()
        .forEach(
            one ->
                lines.add(
                    line(
                        one.number(),
                        "%d of %d ranks completed it"
                            .formatted(one.completeRanks(), one.expectedRanks()))));
    final Grouping grouping = context.grouping();
    context.state().groups().all().stream()
        .filter(group -> group.hasChanged() && !decided.contains(group.number()))
        .forEach(
            group ->
                lines.add(
                    line(
                        group.number(),
                        group.isQuiet() && group.isWhole(grouping) && group.isOfOneRound(grouping)
                            ? "its commit is still to begin"
                            : group.obstacle(grouping))));
    context.publisher().uploading().stream()
        .map(
            number ->
                "checkpoint %d is yet only in %s of this node%s"
                    .formatted(number, context.store().directory(), whyOnlyHere(context, number)))
        .forEach(lines::add);
    return limited(lines);
  }

  /** Returns a line on files that may not yet be as their program wrote them, or none. */
  public static List<String> files(final Context context) {
    final boolean logged =
        !context.layout().showsWrites()
            && context.registry().all().stream()
                .anyMatch(one -> one.state() == ImageDescriptor.STATE_DIVERTED && one.hasBytes());
    return context.capture().path() == null || context.drain().isEmpty() && !logged
        ? List.of()
        : List.of("files in %s may lack bytes yet".formatted(context.capture().path()));
  }

  private static String line(final long number, final String why) {
    return "checkpoint %d is not committed yet: %s".formatted(number, why);
  }

  private static String whyUnderWay(final Context context, final long number) {
    final RankSet missing =
        context.publisher().awaitsNodes() ? context.publisher().missing(number) : RankSet.NONE;
    return missing.isEmpty()
        ? "it is on its way to storage"
        : "the parts of ranks %s are missing".formatted(missing);
  }

  private static String whyOnlyHere(final Context context, final long number) {
    final RankSet missing = context.publisher().missing(number);
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
