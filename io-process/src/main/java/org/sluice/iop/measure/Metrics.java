package org.sluice.iop.measure;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.sluice.core.segment.Reason;
import org.sluice.core.segment.Segment;

/** The statistics as meters. */
final class Metrics implements MeterBinder {
  private final Segment segment;
  private final Statistics statistics;

  Metrics(final Segment segment, final Statistics statistics) {
    this.segment = segment;
    this.statistics = statistics;
  }

  @Override
  public void bindTo(final MeterRegistry registry) {
    counter(registry, "sluice.files", "captured files", s -> s.count(Occurrence.FILES));
    counter(registry, "sluice.files.plain", "files left plain", Statistics::plainFiles);
    counter(registry, "sluice.checkpoints", "commits", Statistics::checkpoints);
    counter(
        registry, "sluice.drained.bytes", "drained chunks", s -> s.count(Occurrence.DRAINED_BYTES));
    counter(registry, "sluice.warnings", "warnings", any -> Warnings.count());
    writes(registry, "aggregated", SlotCounters::aggregatedWrites, SlotCounters::aggregatedBytes);
    writes(registry, "direct", SlotCounters::directWrites, SlotCounters::directBytes);
    for (final Reason each : Reason.values()) {
      if (each != Reason.NONE) {
        notAggregated(registry, each);
      }
    }
    counter(registry, "sluice.fallbacks", "images gone direct", s -> s.counters().fallbacks());
    counter(registry, "sluice.overflows", "writes gone direct", s -> s.counters().overflows());
    counter(
        registry,
        "sluice.memory.overflows",
        "writes gone direct while no free chunk had memory",
        s -> s.counters().memoryOverflows());
    Gauge.builder("sluice.threshold", segment, s -> s.header().effectiveThreshold())
        .baseUnit("bytes")
        .description("writes of this size and more go direct now")
        .register(registry);
    waits(
        registry,
        "sluice.wait",
        "waits of processes for a chunk while all were in use",
        SlotCounters::waits,
        SlotCounters::waitSeconds);
    waits(
        registry,
        "sluice.wait.memory",
        "waits of processes for the memory of a free chunk",
        SlotCounters::memoryWaits,
        SlotCounters::memoryWaitSeconds);
    for (final Timed each : Timed.values()) {
      timer(registry, each);
    }
    Gauge.builder("sluice.buffer.free", segment, s -> s.header().unusedChunks())
        .description("free chunks")
        .register(registry);
    Gauge.builder("sluice.segment.huge", segment, Metrics::hugeBytes)
        .baseUnit("bytes")
        .description("memory of the segment on huge pages")
        .register(registry);
    Gauge.builder(
            "sluice.drain.backlog",
            statistics,
            s -> s.count(Occurrence.PUBLISHED_BYTES) - s.count(Occurrence.DRAINED_BYTES))
        .baseUnit("bytes")
        .description("published and not drained")
        .register(registry);
  }

  private void notAggregated(final MeterRegistry registry, final Reason reason) {
    FunctionCounter.builder(
            "sluice.not.aggregated.bytes", statistics, s -> s.notAggregated(reason).bytes())
        .tag("reason", reason.key())
        .description("bytes that processes wrote past the buffer, as they counted them")
        .register(registry);
    FunctionCounter.builder(
            "sluice.not.aggregated.estimated.bytes",
            statistics,
            s -> s.notAggregated(reason).estimatedBytes())
        .tag("reason", reason.key())
        .description("bytes in closed files that nobody counted, at most")
        .register(registry);
    if (reason.isPlain()) {
      FunctionCounter.builder(
              "sluice.files.not.captured", statistics, s -> s.notAggregated(reason).files())
          .tag("reason", reason.key())
          .description("files opened for writing and left alone")
          .register(registry);
    }
  }

  private static double hugeBytes(final Segment segment) {
    try {
      return segment.hugeBytes();
    } catch (final IOException e) {
      return Double.NaN;
    }
  }

  private void writes(
      final MeterRegistry registry,
      final String path,
      final ToDoubleFunction<SlotCounters> writes,
      final ToDoubleFunction<SlotCounters> bytes) {
    counter(registry, "sluice.writes." + path, path, s -> writes.applyAsDouble(s.counters()));
    counter(registry, "sluice.written.bytes." + path, path, s -> bytes.applyAsDouble(s.counters()));
  }

  private void waits(
      final MeterRegistry registry,
      final String name,
      final String description,
      final ToLongFunction<SlotCounters> times,
      final ToDoubleFunction<SlotCounters> seconds) {
    FunctionTimer.builder(
            name,
            statistics,
            s -> times.applyAsLong(s.counters()),
            s -> seconds.applyAsDouble(s.counters()),
            TimeUnit.SECONDS)
        .description(description)
        .register(registry);
  }

  private void timer(final MeterRegistry registry, final Timed what) {
    final Durations durations = statistics.durations(what);
    FunctionTimer.builder(
            what.meter(), durations, Durations::count, Durations::total, TimeUnit.NANOSECONDS)
        .description(what.description())
        .register(registry);
    TimeGauge.builder(what.meter() + ".max", durations, TimeUnit.NANOSECONDS, Durations::longest)
        .description("the longest of " + what.description())
        .register(registry);
  }

  private void counter(
      final MeterRegistry registry,
      final String name,
      final String description,
      final ToDoubleFunction<Statistics> value) {
    FunctionCounter.builder(name, statistics, value).description(description).register(registry);
  }
}
