package org.sluice.iop.wave.protocol.c3;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sluice.iop.wave.protocol.Collective;
import org.sluice.iop.wave.protocol.Flow;
import org.sluice.iop.wave.protocol.Line;
import org.sluice.iop.wave.protocol.Marker;
import org.sluice.iop.wave.protocol.Message;
import org.sluice.iop.wave.protocol.Pattern;
import org.sluice.iop.wave.protocol.Stream;

/** Cuts of recordings so small that one sees what they must be. */
class ClosureTest {
  private static final Message FROM_ZERO = new Message(new Stream(1, 0, 1, 7), 1);
  private static final Message FROM_TWO = new Message(new Stream(1, 2, 1, 7), 1);
  private static final Pattern ANYTHING = new Pattern(1, Pattern.ANY, Pattern.ANY);
  private static final Event FIRST = new Event.Posted(1, ANYTHING);
  private static final Event SECOND = new Event.Posted(2, ANYTHING);

  private static Recording recording(
      final int rank, final Map<Integer, Message> taken, final Event... events) {
    return new Recording(rank, List.of(events), taken, List.of());
  }

  private static Line line(final int ranks) {
    return new Line(
        IntStream.range(0, ranks)
            .mapToObj(rank -> new Marker(rank, Map.of(), Map.of(), Map.of(1L, 0L), List.of()))
            .toList());
  }

  private static Cut cut(final Recording... recordings) {
    return new Closure(line(recordings.length), Arrays.asList(recordings)).cut();
  }

  @Test
  void aReceiveNeedsItsMessageToBeSentAgain() {
    final Recording receiver =
        recording(1, Map.of(1, FROM_ZERO), FIRST, new Event.Completed(List.of(1)));
    assertThat(cut(recording(0, Map.of()), receiver).lengths()).containsExactly(0, 1);
    assertThat(cut(recording(0, Map.of(), new Event.Sent(FROM_ZERO, 0)), receiver).lengths())
        .containsExactly(1, 2);
  }

  @Test
  void aReceiveIsForcedThoughItEndsBehindTheCut() {
    final Cut cut =
        cut(
            recording(0, Map.of(), new Event.Sent(FROM_ZERO, 0)),
            recording(1, Map.of(1, FROM_ZERO), FIRST));
    assertThat(cut.forced().get(1)).isEqualTo(Map.of(1, FROM_ZERO));
  }

  /** Posted first it could take the message of the second one. */
  @Test
  void noReceiveIsForcedBehindAFreeOneThatMatches() {
    final Cut cut =
        cut(
            recording(0, Map.of()),
            recording(
                1,
                Map.of(1, FROM_ZERO, 2, FROM_TWO),
                FIRST,
                SECOND,
                new Event.Completed(List.of(2))),
            recording(2, Map.of(), new Event.Sent(FROM_TWO, 0)));
    assertThat(cut.lengths()).containsExactly(0, 2, 1);
    assertThat(cut.forced().get(1)).isEmpty();
  }

  @Test
  void aShorterPrefixMakesOthersShorter() {
    final Message answer = new Message(new Stream(1, 1, 2, 7), 1);
    final Cut cut =
        cut(
            recording(0, Map.of()),
            recording(
                1,
                Map.of(1, FROM_ZERO),
                FIRST,
                new Event.Completed(List.of(1)),
                new Event.Sent(answer, 0)),
            recording(2, Map.of(1, answer), FIRST, new Event.Completed(List.of(1))));
    assertThat(cut.lengths()).containsExactly(0, 1, 1);
  }

  @Test
  void aBroadcastEndsAtItsRootAlone() {
    final Event enter = new Event.Entered(1, new Collective(1, 1), Flow.FROM_ROOT, 0, 0);
    final Event end = new Event.Completed(List.of(1));
    assertThat(cut(recording(0, Map.of(), enter, end), recording(1, Map.of())).lengths())
        .containsExactly(2, 0);
    assertThat(cut(recording(0, Map.of()), recording(1, Map.of(), enter, end)).lengths())
        .containsExactly(0, 1);
  }

  @Test
  void aWaveWithoutItsLateMessageIsRefused() {
    final Line line =
        new Line(
            List.of(
                new Marker(0, Map.of(FROM_ZERO.stream(), 1L), Map.of(), Map.of(), List.of()),
                new Marker(1, Map.of(), Map.of(), Map.of(), List.of())));
    final Closure closure =
        new Closure(line, List.of(recording(0, Map.of()), recording(1, Map.of())));
    assertThat(closure.check(closure.cut())).startsWith("late");
  }
}
