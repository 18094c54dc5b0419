package org.sluice.profile.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.CallTime;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Route;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Tally;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;
import org.sluice.profile.workload.Workload;

/** The figures of a profile. */
class ProfileTest {
  /** As published for LU.C.64: percent of writes, of data and of time. */
  private static final double[][] PUBLISHED = {
    {50.86, 0.04, 0.17},
    {0.61, 0.00, 0.00},
    {0.25, 0.01, 0.00},
    {9.46, 1.53, 0.01},
    {36.49, 11.36, 44.66},
    {0.74, 0.77, 6.55},
    {0.49, 3.79, 11.80},
    {0.25, 3.58, 1.75},
    {0.61, 17.72, 14.72},
    {0.25, 61.21, 20.35}
  };

  private static final TracedProcess FIRST = new TracedProcess("a", 1, 0);
  private static final TracedProcess SECOND = new TracedProcess("b", 2, 1);

  private final List<Write> writes = new ArrayList<>();

  @ParameterizedTest
  @EnumSource
  void reproducesThePublishedSharesOfWritesAndTime(final Workload workload) throws IOException {
    final Profile profile = new Profile("", workload.checkpoint(8));
    for (int i = 0; i < SizeClasses.COUNT; i++) {
      final Tally tally = profile.sizeClass(i);
      final double oneWrite = 100.0 * 8 / profile.total().writes();
      assertThat(tally.percentOfWrites(profile.total()))
          .as(SizeClasses.label(i))
          .isCloseTo(PUBLISHED[i][0], within(oneWrite));
      assertThat(tally.percentOfTime(profile.total()))
          .as(SizeClasses.label(i))
          .isCloseTo(PUBLISHED[i][2], within(0.05));
    }
  }

  @Test
  void reproducesThePublishedTablesOfLu() throws IOException {
    final Profile profile = new Profile("", Workload.LU.checkpoint(8));
    for (int i = 0; i < SizeClasses.COUNT; i++) {
      assertThat(profile.sizeClass(i).percentOfBytes(profile.total()))
          .as(SizeClasses.label(i))
          .isCloseTo(PUBLISHED[i][1], within(0.1));
    }
    final Survey node = profile.nodes.get("node0");
    assertThat(profile.nodes).hasSize(1);
    assertThat(node.origins()).hasSize(8);
    assertThat(node.tally().writes()).isEqualTo(7800);
    assertThat(node.tally().bytes() / 1e6).isCloseTo(184.0, within(0.5));
    assertThat(node.spanSeconds()).isCloseTo(7.6, within(0.05));
  }

  @Test
  void saysWhereTheDataIs() throws IOException {
    assertThat(Headline.of(new Profile("", Workload.LU.checkpoint(8))))
        .startsWith("87 % of the data is in 2.3 % of the writes, those of 16 KiB or more; 51 % ")
        .contains("below 64 B and carry less than 0.1 % of the data")
        .endsWith("those of 4 KiB to 16 KiB take 45 % of the time.");
    for (int i = 0; i < 10; i++) {
      write(FIRST, "f", i, 1, i * 100L, 100);
    }
    assertThat(Headline.of(profile()))
        .isEqualTo("100 % of the writes are of 64 B to 256 B and carry 100 % of the data.");
    writes.clear();
    assertThat(Headline.of(profile())).isEqualTo("No write of a file was found.");
  }

  @Test
  void tellsSequentialWritesFromOthersForEachProcessAndFile() throws IOException {
    write(FIRST, "f", 0, 1, 0, 10);
    write(FIRST, "g", 1, 1, 500, 10);
    write(SECOND, "f", 2, 1, 1000, 10);
    write(FIRST, "f", 3, 1, 10, 10);
    write(SECOND, "f", 4, 1, 1010, 10);
    write(FIRST, "f", 5, 1, 21, 10);
    write(FIRST, "g", 6, 1, 500, 10);
    final Profile profile = profile();
    assertThat(profile.sequential.writes()).isEqualTo(5);
    assertThat(profile.files()).extracting(FileProfile::path).containsExactly("f", "g");
    assertThat(profile.files()).extracting(FileProfile::writers).containsExactly(2, 1);
    assertThat(profile.files()).extracting(FileProfile::end).containsExactly(1020L, 510L);
    assertThat(profile.files().getFirst().percentSequential()).isEqualTo(80);
  }

  @Test
  void findsBurstsOfSmallWrites() throws IOException {
    for (int i = 0; i < 9; i++) {
      write(FIRST, "f", i * 1000L, 500, i * 50L, 50);
    }
    write(FIRST, "f", 10_000, 500, 450, 4096);
    for (int i = 0; i < 7; i++) {
      write(FIRST, "f", 20_000 + i * 1000L, 500, i * 50L, 50);
    }
    for (int i = 0; i < 8; i++) {
      write(SECOND, "f", i * 2_000_000L, 500, i * 50L, 50);
    }
    final Bursts bursts = profile().bursts;
    assertThat(bursts.count()).isOne();
    assertThat(bursts.tally().writes()).isEqualTo(9);
    assertThat(bursts.tally().bytes()).isEqualTo(450);
    assertThat(bursts.longest()).isEqualTo(9);
  }

  @Test
  void cutsPausesOutOfTime() throws IOException {
    final long hour = 3_600_000_000_000L;
    for (int i = 0; i < 4; i++) {
      write(FIRST, "f", i * hour, 30_000_000, 0, 1 << 20);
      write(FIRST, "f", i * hour + 40_000_000, 10_000_000, 1 << 20, 1 << 20);
    }
    final Profile profile = profile();
    assertThat(profile.phases).hasSize(4);
    assertThat(profile.phases)
        .allSatisfy(phase -> assertThat(phase.length()).isEqualTo(50_000_000));
    final TimeMap map = profile.timeMap;
    double busyNanos = 0;
    double bytes = 0;
    for (int column = 0; column < map.axis().columns(); column++) {
      busyNanos += map.busy(0, column) * map.axis().columnNanos(column);
      for (int row = 0; row < map.offsetRows(); row++) {
        bytes += map.bytes(row, column);
      }
    }
    assertThat(busyNanos).isCloseTo(160_000_000, within(1000.0));
    assertThat(bytes).isCloseTo(8 << 20, within(1.0));
  }

  private void write(
      final TracedProcess origin,
      final String file,
      final long time,
      final long duration,
      final long offset,
      final long size) {
    writes.add(
        new Write(
            origin, file, Call.WRITE, Route.UNKNOWN, new CallTime(time, duration), offset, size));
  }

  private Profile profile() throws IOException {
    return new Profile(
        "",
        new Trace() {
          @Override
          public String kind() {
            return "list";
          }

          @Override
          public Omissions read(final Consumer<Write> sink) {
            writes.forEach(sink);
            return new Omissions();
          }
        });
  }
}
