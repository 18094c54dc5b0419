package org.sluice.profile.tune;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.core.command.Progress;
import org.sluice.profile.replay.Interruption;
import org.sluice.profile.replay.Place;
import org.sluice.profile.replay.Replay;
import org.sluice.profile.replay.ReplayResult;
import org.sluice.profile.replay.Scratch;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Trace;

/** Replays plain writes and settings in turn, so that what disturbs one disturbs them all. */
final class Trials {
  static final int ROUNDS = 3;
  private static final int BUFFERS_OF_A_PAUSE = 2;

  private final Path directory;
  private final Interruption interruption;

  /**
   * For one directory.
   *
   * @param directory where the files go
   * @param interruption once requested, a round that is not complete does not count
   */
  Trials(final Path directory, final Interruption interruption) {
    this.directory = directory;
    this.interruption = interruption;
  }

  /**
   * Replays.
   *
   * @param settings through Sluice; plain writes go before
   * @param drain bytes a second: by then a buffer is empty, so longer pauses change nothing
   * @return one of each; none if interrupted before the end of the first round
   */
  List<Trial> of(
      final Trace trace, final Survey survey, final List<Setting> settings, final double drain)
      throws IOException {
    final List<Setting> all = new ArrayList<>(settings);
    all.addFirst(Setting.PLAIN);
    final long largest = settings.stream().mapToLong(Setting::buffer).max().orElseThrow();
    final Duration pause =
        Duration.ofMillis(Math.round(1e3 * BUFFERS_OF_A_PAUSE * largest / drain));
    final List<List<ReplayResult>> rounds = new ArrayList<>();
    try (Scratch copy = new Scratch(directory);
        Progress progress =
            Progress.begin("replay", all.size() * ROUNDS * survey.tally().bytes())) {
      final Replay replay = Replay.of(trace, copy, Optional.of(pause));
      while (rounds.size() < ROUNDS && !interruption.isRequested()) {
        final List<ReplayResult> round = new ArrayList<>();
        for (int i = 0; i < all.size() && !interruption.isRequested(); i++) {
          round.add(replay(replay, all.get(i), progress));
        }
        rounds.add(round);
      }
    }
    if (interruption.isRequested() && !rounds.isEmpty()) {
      rounds.removeLast();
    }
    final List<Trial> trials = new ArrayList<>();
    for (int i = 0; i < all.size() && !rounds.isEmpty(); i++) {
      final int place = i;
      trials.add(new Trial(all.get(i), rounds.stream().map(round -> round.get(place)).toList()));
    }
    return trials;
  }

  private ReplayResult replay(final Replay replay, final Setting setting, final Progress progress)
      throws IOException {
    try (Scratch scratch = new Scratch(directory)) {
      final Place place =
          setting.equals(Setting.PLAIN)
              ? Place.plain(scratch)
              : Place.through(
                  scratch,
                  scratch,
                  List.of(
                      "--layout=container",
                      "--threshold=" + setting.thresholdOption(),
                      "--buffer=" + setting.buffer()));
      return replay.run(place, progress, interruption);
    }
  }
}
