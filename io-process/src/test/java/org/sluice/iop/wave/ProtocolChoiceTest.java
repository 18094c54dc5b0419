package org.sluice.iop.wave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.Protocol;
import org.sluice.iop.wave.protocol.Verdict;
import org.sluice.iop.wave.protocol.c3.C3;
import org.sluice.iop.wave.protocol.pcl.Pcl;

class ProtocolChoiceTest {
  private static final Verdict YES = new Verdict(true, "yes");
  private static final Verdict NO = new Verdict(false, "no");

  private static ProtocolChoice choice(final int wanted, final String chosen) {
    return new ProtocolChoice(new Job(wanted, 2, -1, 0, 0, 60_000_000_000L, false), chosen);
  }

  private static int next(final ProtocolChoice choice) {
    return choice.protocol().number();
  }

  @Test
  void theProtocolThatIsTriedStaysIfItSuits() {
    final ProtocolChoice choice = choice(Control.AUTO, null);
    assertThat(next(choice)).isEqualTo(Pcl.NUMBER);
    assertThat(choice.hear(YES)).isFalse();
    assertThat(next(choice)).isEqualTo(Pcl.NUMBER);
    assertThat(choice.why()).isEqualTo("pcl from here on: yes");
    assertThat(choice.hear(NO)).isFalse();
    assertThat(next(choice)).isEqualTo(Pcl.NUMBER);
  }

  @Test
  void aJobThatItDoesNotSuitGoesOnByTheUsualOne() {
    final ProtocolChoice choice = choice(Control.AUTO, null);
    assertThat(choice.hear(NO)).isTrue();
    assertThat(next(choice)).isEqualTo(C3.NUMBER);
    assertThat(choice.begin().getClass()).isEqualTo(new C3().begin(2, 1).get().getClass());
  }

  @Test
  void whatItRestsOnIsSaidOnce() {
    final ProtocolChoice choice = choice(Control.AUTO, null);
    choice.hear(NO);
    assertThat(choice.why()).isEqualTo("c3 from here on: no");
    assertThat(choice.why()).isEmpty();
    choice.hear(YES);
    assertThat(next(choice)).isEqualTo(C3.NUMBER);
    assertThat(choice.why()).isEmpty();
  }

  @Test
  void whatTheUserChoseStays() {
    final ProtocolChoice choice = choice(Pcl.NUMBER, null);
    assertThat(choice.hear(NO)).isFalse();
    assertThat(next(choice)).isEqualTo(Pcl.NUMBER);
    assertThat(choice.why()).isEmpty();
    assertThat(next(choice(C3.NUMBER, null))).isEqualTo(C3.NUMBER);
  }

  @Test
  void aRestartGoesOnWithWhatWasChosen() {
    final ProtocolChoice choice = choice(Control.AUTO, "c3");
    assertThat(next(choice)).isEqualTo(C3.NUMBER);
    assertThat(choice.why()).isEmpty();
    final ProtocolChoice other = choice(Control.AUTO, "pcl");
    assertThat(other.hear(NO)).isFalse();
    assertThat(next(other)).isEqualTo(Pcl.NUMBER);
  }

  @Test
  void whatTheUserWantsCountsMoreThanWhatWasChosen() {
    assertThat(next(choice(Pcl.NUMBER, "c3"))).isEqualTo(Pcl.NUMBER);
  }

  @Test
  void aProtocolThatIsNotThereIsRefused() {
    assertThatThrownBy(() -> choice(99, null)).isInstanceOf(IllegalArgumentException.class);
  }

  /** A message is the protocol's or all protocols', and images name their protocol. */
  @Test
  void noNumberMeansTwoThings() {
    assertThat(Protocols.all()).extracting(Protocol::number).doesNotHaveDuplicates();
    for (final Protocol protocol : Protocols.all()) {
      assertThat(protocol.number()).isNotEqualTo(Control.AUTO);
      assertThat(messages(protocol.numbers().get("")))
          .doesNotContainAnyElementsOf(messages(Control.class));
    }
  }

  private static List<Integer> messages(final Class<?> constants) {
    return Arrays.stream(constants.getDeclaredFields())
        .filter(field -> field.getType() == int.class)
        .filter(field -> !List.of("NUMBER", "AUTO").contains(field.getName()))
        .map(
            field -> {
              try {
                return field.getInt(null);
              } catch (final IllegalAccessException e) {
                throw new AssertionError(e);
              }
            })
        .toList();
  }
}
