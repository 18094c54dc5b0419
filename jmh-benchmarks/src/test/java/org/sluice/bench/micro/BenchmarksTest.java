package org.sluice.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Benchmarks that nobody runs for months still run. */
class BenchmarksTest {
  @BeforeAll
  static void letOthersBenchmark() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  @Test
  void everyBenchmarkRuns(@TempDir final Path directory) throws RunnerException {
    final var options =
        new OptionsBuilder()
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(5))
            .param("store", directory.resolve("store").toString())
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    assertThat(new Runner(options).run()).isNotEmpty();
  }
}
