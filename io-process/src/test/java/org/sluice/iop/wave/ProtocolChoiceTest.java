package org.sluice.iop.wave;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.iop.wave.protocol.Control;

class ProtocolChoiceTest {
  private static final double MILLI = 1e6;

  private static ProtocolChoice measured(final double waited, final double taking) {
    final ProtocolChoice choice = new ProtocolChoice(Control.AUTO, null);
    assertThat(choice.next()).isEqualTo(Control.PCL);
    choice.measured(waited * MILLI, taking * MILLI);
    assertThat(choice.isOpen()).isFalse();
    return choice;
  }

  @Test
  void aJobThatComesToItsSpotsTogetherGoesOnByPcl() {
    assertThat(measured(0.9, 0).next()).isEqualTo(Control.PCL);
    assertThat(measured(9, 100).next()).isEqualTo(Control.PCL);
  }

  @Test
  void aJobWhoseRanksWaitForEachOtherGoesOnByC3() {
    assertThat(measured(1.1, 0).next()).isEqualTo(Control.C3);
    assertThat(measured(11, 100).next()).isEqualTo(Control.C3);
  }

  @Test
  void whatItRestsOnIsSaidOnce() {
    final ProtocolChoice choice = measured(20, 100);
    assertThat(choice.why())
        .isEqualTo(
            "c3 from here on: ranks waited 20.0 ms for each other, and 100.0 ms for their images");
    assertThat(choice.why()).isEmpty();
    choice.measured(0, 0);
    assertThat(choice.next()).isEqualTo(Control.C3);
    assertThat(choice.why()).isEmpty();
  }

  @Test
  void ranksThatCannotStopAtOneSpotGoOnByC3() {
    final ProtocolChoice choice = new ProtocolChoice(Control.AUTO, null);
    choice.stopsBadly("no");
    assertThat(choice.next()).isEqualTo(Control.C3);
    assertThat(choice.why()).isEqualTo("c3 from here on: no");
  }

  @Test
  void aSpotThatIsHeardOfTooLateIsTriedFartherOnForSomeTimes() {
    final ProtocolChoice choice = new ProtocolChoice(Control.AUTO, null);
    for (int i = 0; i < 7; i++) {
      choice.passed();
    }
    assertThat(choice.next()).isEqualTo(Control.PCL);
    choice.passed();
    assertThat(choice.next()).isEqualTo(Control.C3);
  }

  @Test
  void whatTheUserChoseStays() {
    final ProtocolChoice choice = new ProtocolChoice(Control.PCL, null);
    choice.measured(100 * MILLI, 0);
    choice.stopsBadly("no");
    assertThat(choice.next()).isEqualTo(Control.PCL);
    assertThat(choice.why()).isEmpty();
    assertThat(new ProtocolChoice(Control.C3, null).next()).isEqualTo(Control.C3);
  }

  @Test
  void aRestartGoesOnWithWhatWasChosen() {
    final ProtocolChoice choice = new ProtocolChoice(Control.AUTO, "c3");
    assertThat(choice.isOpen()).isFalse();
    assertThat(choice.next()).isEqualTo(Control.C3);
    assertThat(choice.why()).isEmpty();
    assertThat(new ProtocolChoice(Control.AUTO, "pcl").next()).isEqualTo(Control.PCL);
    assertThat(new ProtocolChoice(Control.AUTO, "pcl").isOpen()).isFalse();
  }

  @Test
  void whatTheUserWantsCountsMoreThanWhatWasChosen() {
    assertThat(new ProtocolChoice(Control.PCL, "c3").next()).isEqualTo(Control.PCL);
  }
}
