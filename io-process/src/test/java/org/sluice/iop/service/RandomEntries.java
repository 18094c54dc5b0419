package org.sluice.iop.service;

import java.util.List;
import java.util.Random;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.model.RankSet;
import org.sluice.iop.journal.Cause;
import org.sluice.iop.journal.Entry;

/**
 * Entries about few slots, images, chunks and checkpoints, so that they meet. The same seed gives
 * the same.
 */
final class RandomEntries {
  private static final int FEW = 6;
  private static final List<Integer> STATES =
      List.of(
          ImageDescriptor.STATE_FREE,
          ImageDescriptor.STATE_DIVERTED,
          ImageDescriptor.STATE_DIRECT,
          ImageDescriptor.STATE_COMMITTED);

  private final Random dice;
  private int attempts;
  private int processes;

  RandomEntries(final int seed) {
    dice = new Random(seed);
  }

  Entry next() {
    return switch (dice.nextInt(29)) {
      case 0 -> attached();
      case 1 -> new Entry.Detached(any(), dice.nextBoolean(), any());
      case 2 -> new Entry.Admitted(1 + any(), any(), any(), any(), any(), state(), "path" + any());
      case 3 ->
          new Entry.Created(created(), any(), any(), "name" + any(), any(), "x".repeat(any()));
      case 4 -> new Entry.Changed(1 + any(), state());
      case 5, 6 -> new Entry.Opened(1 + any(), any(), dice.nextBoolean(), any());
      case 7 -> new Entry.Closed(1 + any(), any(), any() - 1, any(), any());
      case 8 -> new Entry.Taken(any(), any(), any(), any(), any() - 1);
      case 9 -> new Entry.Drained(any(), any(), location(), shares());
      case 10 -> new Entry.Emptying(1 + any(), dice.nextBoolean());
      case 11 ->
          new Entry.Restarted(
              1 + any(),
              Cause.values()[dice.nextInt(Cause.values().length)],
              dice.nextBoolean(),
              any(),
              List.of(new Entry.Mark(any(), any(), any())));
      case 12 ->
          new Entry.Begun(
              any(),
              new Entry.Scope(
                  2,
                  1 + dice.nextInt(2),
                  dice.nextBoolean(),
                  dice.nextBoolean(),
                  dice.nextBoolean()));
      case 13 -> new Entry.Completed(any(), dice.nextInt(2), any(), any());
      case 14 -> committing(Completion.values()[dice.nextInt(Completion.values().length)]);
      case 15 -> ended();
      case 16 -> new Entry.Replaced(1 + any(), any());
      case 17 -> new Entry.Joined();
      case 18 -> new Entry.Lacking(any(), any(), any(), dice.nextInt(2) * any(), "path" + any());
      case 19 -> new Entry.Rested(1 + any(), "path" + any());
      case 20 -> new Entry.Written(any(), any(), any(), any());
      case 21 -> new Entry.Leaving(any(), any() - 1, any());
      case 22 -> new Entry.Decided(any(), dice.nextBoolean());
      case 23 -> new Entry.Gone(1 + any(), any() - 1, writing());
      case 24 -> new Entry.Vanished(any());
      case 25 -> new Entry.Filling(any(), any(), dice.nextInt(2));
      case 26 ->
          new Entry.Added(
              dice.nextBoolean() ? captured() : 0, any() - 1, dice.nextInt(2), "path" + any());
      case 27 -> new Entry.Named(any(), "name-" + any());
      default -> new Entry.Left(dice.nextInt(100) > 0);
    };
  }

  /**
   * A commit by request has images that were created for it, and files; one of a group has files.
   */
  private Entry committing(final Completion completion) {
    final boolean byRequest = completion.isByRequest();
    return new Entry.Committing(
        ++attempts,
        any(),
        byRequest ? "name-" + any() : "",
        dice.nextInt(3) - 1,
        any(),
        any(),
        RankSet.of(dice.ints(dice.nextInt(3), 0, 9)),
        completion,
        dice.nextBoolean() ? "" : "=2",
        List.of(part(byRequest ? created() : captured()), part(captured())));
  }

  private int created() {
    return 1 + any() / 2 * 2;
  }

  private int captured() {
    return created() + 1;
  }

  /** No two processes are the same. */
  private Entry attached() {
    return new Entry.Attached(any(), any(), any(), any(), any(), any(), ++processes, any(), any());
  }

  private Entry ended() {
    return new Entry.Ended(attempts - dice.nextInt(3), any(), dice.nextInt(2), "reason" + any());
  }

  private Entry.Writing writing() {
    return new Entry.Writing("path" + any(), any(), any(), any(), any(), any(), dice.nextBoolean());
  }

  private int any() {
    return dice.nextInt(FEW);
  }

  private int state() {
    return STATES.get(dice.nextInt(STATES.size()));
  }

  private ChunkLocation location() {
    return dice.nextBoolean()
        ? ChunkLocation.NONE
        : new ChunkLocation(1 + any(), any(), any(), any());
  }

  private List<Entry.ImageSize> shares() {
    return List.of(new Entry.ImageSize(1 + any(), any()));
  }

  private Entry.Part part(final int image) {
    return new Entry.Part(image, "path" + any(), any(), any(), false);
  }
}
