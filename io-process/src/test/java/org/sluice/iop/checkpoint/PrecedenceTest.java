package org.sluice.iop.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.sluice.iop.journal.Entry;

/** Which checkpoints may be committed behind which. */
class PrecedenceTest {
  private final Precedence precedence = new Precedence();

  @Test
  void whatWasWrittenBeforeANewerOneIsOvertaken() {
    stored(11, 73, 80);
    assertThat(precedence.newerThan(7, 56)).hasValue(11);
    assertThat(precedence.newerThan(12, 75)).as("it is the newest").isEmpty();
    assertThat(precedence.newerThan(11, 80)).as("it grows").isEmpty();
    assertThat(precedence.laterThan(56)).hasValue(11);
  }

  @Test
  void aProgramThatWentBackWritesBehindWhatItGaveUp() {
    stored(11, 73, 80);
    stored(6, 83, 90);
    assertThat(precedence.newerThan(10, 100)).isEmpty();
    stored(10, 93, 100);
    assertThat(precedence.newerThan(9, 95)).hasValue(10);
    assertThat(precedence.newerThan(11, 80)).as("what it gave up, closed late").hasValue(10);
  }

  /** Against all that was stored, and over a journal that is written anew. */
  @Test
  void itKeepsAllThatMatters() {
    final Random dice = new Random(7);
    final List<Entry.Stored> all = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      final int begun = dice.nextInt(100);
      final Entry.Stored next =
          new Entry.Stored(dice.nextInt(40), begun, begun + dice.nextInt(100));
      all.add(next);
      precedence.stored(next);
      final Precedence again = new Precedence();
      precedence.sum(entry -> again.stored((Entry.Stored) entry));
      final long number = dice.nextInt(41);
      final long last = dice.nextInt(201);
      final boolean overtaken =
          all.stream()
              .anyMatch(
                  one -> one.begun() > last || one.checkpoint() > number && one.written() > last);
      assertThat(precedence.newerThan(number, last).isPresent()).isEqualTo(overtaken);
      assertThat(again.newerThan(number, last).isPresent()).isEqualTo(overtaken);
      assertThat(precedence.laterThan(last).isPresent())
          .isEqualTo(all.stream().anyMatch(one -> one.written() > last));
    }
  }

  private void stored(final long number, final long begun, final long last) {
    precedence.stored(new Entry.Stored(number, begun, last));
  }
}
