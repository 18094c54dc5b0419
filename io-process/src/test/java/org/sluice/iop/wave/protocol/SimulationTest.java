package org.sluice.iop.wave.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random jobs under each protocol, over the very classes that decide. {@code -Dmpi.seeds} says how
 * many, {@code -Dmpi.seed} with which one they begin, {@code -Dmpi.without} which rule they lack.
 */
class SimulationTest {
  private static final int SEEDS = Integer.getInteger("mpi.seeds", 100);
  private static final long FIRST = Long.getLong("mpi.seed", 0);
  private static final Rule WITHOUT =
      Stream.of(Rule.values())
          .filter(rule -> rule.name().equals(System.getProperty("mpi.without")))
          .findFirst()
          .orElse(null);
  private static final int LOOK = 5000;

  /** A protocol. */
  enum Protocol {
    C3(rule -> rule.c3) {
      @Override
      Job job(final long seed, final Rule leftOut, final double eagerness) {
        return new C3Job(seed, leftOut, eagerness);
      }
    },
    PCL(rule -> rule.pcl) {
      @Override
      Job job(final long seed, final Rule leftOut, final double eagerness) {
        return new PclJob(seed, leftOut, eagerness);
      }
    };

    private final ToLongFunction<Rule> seed;

    Protocol(final ToLongFunction<Rule> seed) {
      this.seed = seed;
    }

    /** How eager it is says how often a wave begins. */
    abstract Job job(long seed, Rule leftOut, double eagerness);

    void run(final Job job, final long seed) {
      final List<Long> results = job.run();
      if (job.script.deterministic && !results.equals(job(seed, null, 0).run())) {
        throw new Broken("the result is not that of a job without checkpoints");
      }
    }

    boolean breaks(final long seed, final Rule leftOut) {
      try {
        run(job(seed, leftOut, .01), seed);
        return false;
      } catch (final Broken e) {
        return true;
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void noJobBreaks(final Protocol protocol) {
    final Map<String, Long> broken = new TreeMap<>();
    final long[] sums = new long[6];
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      final Job job = protocol.job(seed, WITHOUT, .01);
      try {
        protocol.run(job, seed);
      } catch (final Broken e) {
        broken.putIfAbsent(e.getMessage(), seed);
      }
      final long[] counts = job.counts();
      Arrays.setAll(sums, i -> sums[i] + counts[i]);
    }
    System.out.printf(
        "%s: %d jobs, %d checkpoints committed, %d given up, %d recoveries, late %d, early %d,"
            + " straddling %d; broken with seed %s%n",
        protocol, SEEDS, sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], broken);
    assertThat(broken).isEmpty();
    assertThat(sums[0]).as("committed checkpoints").isGreaterThan(SEEDS / 2);
    assertThat(sums[2]).as("recoveries").isGreaterThan(SEEDS / 2);
  }

  static Stream<Arguments> rules() {
    return Stream.of(Protocol.values())
        .flatMap(
            protocol ->
                Stream.of(Rule.values())
                    .filter(rule -> protocol.seed.applyAsLong(rule) >= 0)
                    .map(rule -> Arguments.of(protocol, rule)));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void withoutARuleSomethingBreaks(final Protocol protocol, final Rule rule) {
    final long seed = protocol.seed.applyAsLong(rule);
    assertThatThrownBy(() -> protocol.run(protocol.job(seed, rule, .01), seed))
        .as("with seed " + seed)
        .isInstanceOf(Broken.class);
  }

  /** Prints with which seed each rule is shown first; -1: with none of so many. */
  @Test
  void seeds() {
    assumeTrue(Boolean.getBoolean("mpi.find"));
    final List<String> found = new ArrayList<>();
    rules()
        .forEach(
            pair -> {
              final Protocol protocol = (Protocol) pair.get()[0];
              final Rule rule = (Rule) pair.get()[1];
              found.add(
                  "%s %s %d"
                      .formatted(
                          protocol,
                          rule,
                          LongStream.range(0, LOOK)
                              .filter(seed -> protocol.breaks(seed, rule))
                              .findFirst()
                              .orElse(-1)));
            });
    System.out.println(String.join("\n", found));
  }
}
