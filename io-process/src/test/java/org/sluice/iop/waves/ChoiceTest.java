package org.sluice.iop.waves;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.mpi.Control;

class ChoiceTest {
  private static final double MILLI = 1e6;

  private static Choice measured(final double waited, final double taking) {
    final Choice choice = new Choice(Control.AUTO, null);
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
    final Choice choice = measured(20, 100);
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
    final Choice choice = new Choice(Control.AUTO, null);
    choice.stopsBadly("no");
    assertThat(choice.next()).isEqualTo(Control.C3);
    assertThat(choice.why()).isEqualTo("c3 from here on: no");
  }

  @Test
  void aSpotThatIsHeardOfTooLateIsTriedFartherOnForSomeTimes() {
    final Choice choice = new Choice(Control.AUTO, null);
    for (int i = 0; i < 7; i++) {
      choice.passed();
    }
    assertThat(choice.next()).isEqualTo(Control.PCL);
    choice.passed();
    assertThat(choice.next()).isEqualTo(Control.C3);
  }

  @Test
  void whatTheUserChoseStays() {
    final Choice choice = new Choice(Control.PCL, null);
    choice.measured(100 * MILLI, 0);
    choice.stopsBadly("no");
    assertThat(choice.next()).isEqualTo(Control.PCL);
    assertThat(choice.why()).isEmpty();
    assertThat(new Choice(Control.C3, null).next()).isEqualTo(Control.C3);
  }

  @Test
  void aRestartGoesOnWithWhatWasChosen() {
    final Choice choice = new Choice(Control.AUTO, "c3");
    assertThat(choice.isOpen()).isFalse();
    assertThat(choice.next()).isEqualTo(Control.C3);
    assertThat(choice.why()).isEmpty();
    assertThat(new Choice(Control.AUTO, "pcl").next()).isEqualTo(Control.PCL);
    assertThat(new Choice(Control.AUTO, "pcl").isOpen()).isFalse();
  }

  @Test
  void whatTheUserWantsCountsMoreThanWhatWasChosen() {
    assertThat(new Choice(Control.PCL, "c3").next()).isEqualTo(Control.PCL);
  }
}
