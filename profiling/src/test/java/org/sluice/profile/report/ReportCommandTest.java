package org.sluice.profile.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandResult;
import org.sluice.profile.RecordedTraces;
import org.sluice.profile.workload.Workload;

/** {@code sluice profile report} from outside. */
class ReportCommandTest {
  @TempDir private Path directory;
  private Path trace;

  @BeforeEach
  void record() throws IOException {
    trace =
        RecordedTraces.record(
            directory.resolve("lu"), Workload.LU.checkpoint(8), 3, 300_000_000_000L);
  }

  @Test
  void printsTheTables() throws Exception {
    final CommandResult report = CommandResult.of("profile", "report", trace.toString());
    assertThat(report.err()).isEmpty();
    assertThat(report.status()).isZero();
    assertThat(report.out())
        .contains("lu: recorded trace", "87 % of the data", "phases of writing: 3")
        .containsPattern("node0 +8 +23400 +2925 ")
        .containsPattern("0-64 +11904 .* 50\\.87 +0\\.04 +0\\.17\n");
  }

  @Test
  void printsJsonAndCsv() throws Exception {
    final CommandResult json = CommandResult.of("profile", "report", "--json", trace.toString());
    final Map<String, Object> report = JSON.std.mapFrom(json.out());
    assertThat((List<?>) report.get("classes")).hasSize(10);
    assertThat((List<?>) report.get("phases")).hasSize(3);
    assertThat(report).containsEntry("processes", 8).containsEntry("file_count", 8);
    final CommandResult csv = CommandResult.of("profile", "report", "--csv", trace.toString());
    assertThat(csv.out().lines())
        .hasSize(11)
        .contains("4096,16384,36.51,11.34,44.66,8544," + bytesOf(report, 4) + ",81.459837408");
  }

  private static Object bytesOf(final Map<String, Object> report, final int sizeClass) {
    return ((Map<?, ?>) ((List<?>) report.get("classes")).get(sizeClass)).get("bytes");
  }

  @Test
  void writesAPageThatNeedsNothingElse() throws Exception {
    final Path page = directory.resolve("profile.html");
    final CommandResult report =
        CommandResult.of("profile", "report", "--html", page.toString(), trace.toString());
    assertThat(report.status()).isZero();
    assertThat(Files.readString(page))
        .doesNotContain("/* profile */", "/* page.js */", "/* page.css */", "src=", "href=")
        .contains("87 % of the data is in");
  }

  @Test
  void comparesATraceWithItself() throws Exception {
    final CommandResult compare =
        CommandResult.of("profile", "compare", trace.toString(), trace.toString());
    assertThat(compare.out()).endsWith("The processes spend as much time in writes as before.\n");
  }

  @Test
  void comparesTimesForAByteWhereTheDataIsNotTheSame() throws Exception {
    final Path twice = directory.resolve("twice");
    Files.writeString(twice, strace(1, 2));
    final Path once = Files.writeString(directory.resolve("once"), strace(1));
    final CommandResult compare =
        CommandResult.of("profile", "compare", once.toString(), twice.toString());
    assertThat(compare.out())
        .endsWith(
            "The processes spend 3.00 times as much time in writes as before, for 2.00 times the"
                + " data: 1.50 times as much for a byte.\n");
  }

  /** Writes of 100 bytes that take so many milliseconds. */
  private static String strace(final int... times) {
    final StringBuilder text = new StringBuilder();
    for (final int time : times) {
      text.append(
          "7 1700000000.00%d000 write(3</d/f>, \"x\"..., 100) = 100 <0.00%d000>%n"
              .formatted(time, time));
    }
    return text.toString();
  }

  @Test
  void refusesWhatIsNoTrace() throws Exception {
    final Path foreign = Files.writeString(directory.resolve("foreign"), "hello\n");
    fails(5, "foreign is neither", "profile", "report", foreign.toString());
    fails(5, "a directory without", "profile", "report", directory.toString());
    fails(5, "/ is a directory without", "profile", "report", "/");
    fails(5, "/ is a directory without", "profile", "compare", "/", trace.toString());
    fails(1, "nowhere; check it", "profile", "report", "nowhere");
    fails(2, "exclude each other", "profile", "report", "--csv", "--json", trace.toString());
    fails(2, "say which command", "profile");
  }

  private static void fails(final int status, final String message, final String... args)
      throws Exception {
    final CommandResult process = CommandResult.of(args);
    assertThat(process.status()).isEqualTo(status);
    assertThat(process.err().lines()).hasSize(1);
    assertThat(process.err()).contains(message);
  }
}
