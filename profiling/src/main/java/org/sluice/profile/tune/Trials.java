package org.sluice.profile.tune;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.sluice.core.command.Progress;
import org.sluice.profile.replay.Interruption;
import org.sluice.profile.replay.Place;
import org.sluice.profile.replay.Replay;
import org.sluice.profile.replay.ReplayResult;
import org.sluice.profile.replay.Scratch;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Trace;

/**
 * The replays of plain writes and settings in turn, so that a disturbance of one disturbs them all.
 */
final class Trials {
  static final int ROUNDS = 3;
  private static final int BUFFERS_OF_A_PAUSE = 2;

  private final Path directory;
  private final Interruption interruption;

  /**
   * @param interruption once requested, a round that is not complete does not count
   */
  Trials(final Path directory, final Interruption interruption) {
    this.directory = directory;
    this.interruption = interruption;
  }

  /**
   * @param settings settings through Sluice; plain writes go before
   * @param drain bytes a second: by then a buffer is empty, so longer pauses change nothing
   * @return a trial of each; none if interrupted before the end of the first round
   */
  List<Trial> of(final Trace trace, final List<Setting> settings, final double drain)
      throws IOException {
    final List<Trial> trials =
        Stream.concat(Stream.of(Setting.PLAIN), settings.stream())
            .map(setting -> new Trial(setting, new ArrayList<>()))
            .toList();
    final long largest = settings.stream().mapToLong(Setting::buffer).max().orElseThrow();
    final Duration pause =
        Duration.ofMillis(Math.round(1e3 * BUFFERS_OF_A_PAUSE * largest / drain));
    final long bytes = Survey.of(trace).tally().bytes();
    try (Scratch copy = new Scratch(directory);
        Progress progress = Progress.begin("replay", trials.size() * ROUNDS * bytes)) {
      final Replay replay = Replay.of(trace, copy, Optional.of(pause));
      for (int i = 0; i < ROUNDS * trials.size() && !interruption.isRequested(); i++) {
        final Trial trial = trials.get(i % trials.size());
        trial.rounds().add(replay(replay, trial.setting(), progress));
      }
    }
    if (interruption.isRequested()) {
      final int whole = Math.max(0, trials.getFirst().rounds().size() - 1);
      trials.forEach(trial -> trial.rounds().subList(whole, trial.rounds().size()).clear());
    }
    return trials.getFirst().rounds().isEmpty() ? List.of() : trials;
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
                      "--group=.",
                      "--threshold=" + setting.thresholdOption(),
                      "--buffer=" + setting.buffer()));
      return replay.run(place, progress, interruption);
    }
  }
}
