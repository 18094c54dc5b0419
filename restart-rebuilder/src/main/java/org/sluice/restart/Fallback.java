package org.sluice.restart;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.store.model.ChangedFileException;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.CheckpointReader;

/** The search for an intact checkpoint: one after the other is tried, the newest first. */
final class Fallback {
  private static final Pattern CHECKPOINT = Pattern.compile("/(?:checkpoints|part)/(\\d{10,18})-");

  private final CheckpointReader store;
  private final List<Skipped> skipped = new ArrayList<>();
  private List<Skipped> doubts = List.of();

  /** A checkpoint that is damaged or of another version. */
  record Skipped(long number, IOException reason) {}

  Fallback(final CheckpointReader store) {
    this.store = store;
  }

  /**
   * Returns the checkpoints that may have been newer than the used one, in the order in which they
   * were tried. A manifest that cannot be read is among them unless it certainly was older.
   */
  List<Skipped> skipped() {
    return Stream.concat(doubts.stream(), skipped.stream()).toList();
  }

  /**
   * @param number number of the first one to try; null for the newest
   */
  void run(final Long number, final Selection.Use attempt) throws IOException {
    boolean removed = false;
    for (final Commit commit : candidates(number)) {
      doubts = doubts(commit, number);
      try {
        if (store.whileHeld(commit, () -> attempt.of(commit))) {
          return;
        }
        removed = true;
      } catch (final DamagedException | FormatVersionException | ChangedFileException e) {
        skipped.add(new Skipped(commit.number(), e));
      }
    }
    if (removed) { // so there are newer ones
      skipped.clear();
      run(number, attempt);
      return;
    }
    doubts = List.of();
    skipped.addAll(0, unreadable(number));
    if (skipped.isEmpty()) {
      need(number);
      run(number, attempt); // unless one has just been committed
      return;
    }
    throw new CommandException(
        ExitStatus.of(skipped.getFirst().reason()),
        "no checkpoint is intact: %s".formatted(skipped.getFirst().reason().getMessage())
            + (skipped.size() > 1 ? "; and %d more".formatted(skipped.size() - 1) : ""));
  }

  /** Throws that there is no such checkpoint, unless it is there. */
  private void need(final Long number) throws IOException {
    Selection.commit(
        store, Optional.ofNullable(number).map(CheckpointKey.Numbered::new), new ArrayList<>());
  }

  private List<Commit> candidates(final Long number) throws IOException {
    final long most = number == null ? Long.MAX_VALUE : number;
    if (number != null && !store.numbers().contains(number)) {
      need(number);
    }
    final List<Commit> commits =
        store.commits(any -> {}).stream().filter(commit -> commit.number() <= most).toList();
    return commits.reversed().stream().filter(commit -> counts(commit, number)).toList();
  }

  private static boolean counts(final Commit commit, final Long number) {
    return number != null && commit.number() == number || !commit.incomplete();
  }

  /**
   * Returns unreadable checkpoints that may be newer than a commit. No checkpoint counts as newer
   * than the requested one.
   */
  private List<Skipped> doubts(final Commit commit, final Long number) throws IOException {
    return store.doubts(commit).stream()
        .map(Fallback::skip)
        .filter(
            one ->
                number == null
                    || one.number() <= number
                        && (commit.number() != number || one.number() == number))
        .toList();
  }

  private List<Skipped> unreadable(final Long number) throws IOException {
    final List<Skipped> all = new ArrayList<>();
    store.commits(unreadable -> all.add(skip(unreadable)));
    all.removeIf(one -> number != null && one.number() > number);
    return all;
  }

  private static Skipped skip(final IOException unreadable) {
    final Matcher place = CHECKPOINT.matcher(unreadable.getMessage());
    return new Skipped(place.find() ? Long.parseLong(place.group(1)) : -1, unreadable);
  }
}
