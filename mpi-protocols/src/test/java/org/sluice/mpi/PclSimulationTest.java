package org.sluice.mpi;

import java.util.*;
import org.junit.jupiter.api.Test;

class PclSimulationTest {
  @Test
  void run() {
    main();
  }

  public static void main(String... a) {
    final int seeds = Integer.getInteger("mpi.seeds", 300);
    final List<Rule> rules = new ArrayList<>();
    rules.add(null);
    if (!Boolean.getBoolean("norules"))
      for (Rule r : Rule.values())
        if (r.name().matches(System.getProperty("rules", ".*"))) rules.add(r);
    for (final Rule rule : rules) {
      final Map<String, List<Long>> broken = new TreeMap<>();
      long[] sums = new long[7];
      for (long seed = Long.getLong("first", 0); seed < Long.getLong("first", 0) + seeds; seed++) {
        final PclJob job = new PclJob(seed, rule, .01);
        try {
          final List<Long> result = job.run();
          if (job.script.deterministic && !result.equals(new PclJob(seed, null, 0).run()))
            throw new Broken("result differs");
        } catch (final RuntimeException e) {
          broken.computeIfAbsent(String.valueOf(e.getMessage()), x -> new ArrayList<>()).add(seed);
          if (!(e instanceof Broken)) e.printStackTrace();
        }
        sums[0] += job.waves;
        sums[1] += job.kills;
        sums[2] += job.drained;
        sums[3] += 0;
        sums[4] += 0;
        sums[6] += 0;
        sums[5] += job.givenUp;
      }
      System.out.println(rule + " " + Arrays.toString(sums));
      broken.forEach(
          (k, v) ->
              System.out.println(
                  "    " + k + ": " + v.size() + " first " + v.subList(0, Math.min(5, v.size()))));
    }
  }
}
