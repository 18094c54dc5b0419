package org.sluice.core.posix;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EntropyTest {
  private static final int MANY = 4096;

  /** That two of so many are equal by chance has a probability of 2^-41. */
  @Test
  void noNumberComesTwice() {
    final Set<Long> numbers = new HashSet<>();
    for (int i = 0; i < MANY; i++) {
      numbers.add(Entropy.nextLong());
    }
    assertThat(numbers).hasSize(MANY);
  }

  /** Each bit is set in half of them, give or take ten standard deviations. */
  @Test
  void everyBitIsRandom() {
    final int[] set = new int[Long.SIZE];
    for (int i = 0; i < MANY; i++) {
      final long number = Entropy.nextLong();
      for (int bit = 0; bit < Long.SIZE; bit++) {
        set[bit] += (int) (number >>> bit & 1);
      }
    }
    for (final int count : set) {
      assertThat(count).isBetween(MANY / 2 - 320, MANY / 2 + 320);
    }
  }

  @Test
  void threadsDrawNumbersOfTheirOwn() {
    final Set<Long> numbers = ConcurrentHashMap.newKeySet();
    IntStream.range(0, MANY).parallel().forEach(i -> numbers.add(Entropy.nextLong()));
    assertThat(numbers).hasSize(MANY);
  }
}
