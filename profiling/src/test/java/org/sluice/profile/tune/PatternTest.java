package org.sluice.profile.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Route;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.Write;

/** Which writes of a trace are looked at. */
class PatternTest {
  private static final long SECOND = 1_000_000_000;

  /** A second from one to the next of the first ones. */
  private static long time(final long write) {
    return Math.min(write, 10) * SECOND + write;
  }

  /** Process by process, as a recorded trace comes: each writes 0, 1, 2, ... bytes. */
  private static Pattern of(final long... writes) throws IOException {
    return Pattern.of(
        new Trace() {
          @Override
          public String kind() {
            return "numbers";
          }

          @Override
          public Omissions read(final Consumer<Write> sink) {
            for (int rank = 0; rank < writes.length; rank++) {
              final Origin origin = new Origin("node", rank, rank);
              LongStream.range(0, writes[rank])
                  .forEach(
                      i ->
                          sink.accept(
                              new Write(origin, "f", Call.WRITE, Route.PLAIN, time(i), 1, 0, i)));
            }
            return new Omissions();
          }
        });
  }

  @Test
  void keepsAllOfASmallTrace() throws IOException {
    final Pattern pattern = of(3, 2);
    assertThat(pattern.isCut()).isFalse();
    assertThat(pattern.writes()).isEqualTo(5);
    assertThat(pattern.bytes()).isEqualTo(0 + 1 + 2 + 0 + 1);
    assertThat(pattern.processes().getFirst().pause(0)).isZero();
    assertThat(pattern.processes().getFirst().pause(1)).isEqualTo(SECOND);
  }

  @Test
  void keepsTheBeginningOfEachProcessOfALargeOne() throws IOException {
    final long many = Pattern.MOST_WRITES - 10;
    final Pattern pattern = of(many, 8, many, 5);
    assertThat(pattern.isCut()).isTrue();
    assertThat(pattern.processes()).extracting(Pattern.Process::count).element(1).isEqualTo(8);
    assertThat(pattern.processes()).extracting(Pattern.Process::count).element(3).isEqualTo(5);
    assertThat(pattern.processes().get(2).count()).isEqualTo(pattern.processes().get(0).count());
    assertThat(pattern.processes().get(2).count()).isGreaterThan(Pattern.MOST_WRITES / 4);
    assertThat(pattern.writes()).isLessThanOrEqualTo(Pattern.MOST_WRITES);
    assertThat(pattern.processes().get(2).size(7)).isEqualTo(7);
  }
}
