package org.sluice.iop.wave;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The wave that a user asks for, from any node, and what the log tells of it. One thread's. */
public final class AskedWave {
  /** While a wave is under way its coordinator says so each second; one that died is resumed. */
  private static final Duration SILENCE = Duration.ofSeconds(20);

  private static final long LOOK_MILLIS = 50;

  private final WaveFiles files;
  private final Duration silence;
  private final Map<String, Object> before; // the log's last line; null for none

  public AskedWave(final WaveFiles files) throws IOException {
    this(files, SILENCE);
  }

  AskedWave(final WaveFiles files, final Duration silence) throws IOException {
    this.files = files;
    this.silence = silence;
    final List<Map<String, Object>> lines = files.lines(damaged -> {});
    this.before = lines.isEmpty() ? null : lines.getLast();
  }

  /**
   * Waits for its end, once the job has taken the request.
   *
   * @return the line of the log that tells it: {@code committed}, {@code given up}, {@code failed}
   *     or {@code refused}; or {@code restart} or {@code start} where the job was run again before.
   *     Empty when nothing is heard of the job any more
   * @throws InterruptedException when the thread is interrupted
   */
  public Optional<Map<String, Object>> end() throws IOException, InterruptedException {
    final int taken = since().size();
    String heard = null;
    for (long due = 0; ; Thread.sleep(LOOK_MILLIS)) {
      final String now = now();
      if (!now.equals(heard)) {
        heard = now;
        due = System.nanoTime() + silence.toNanos();
        final Optional<Map<String, Object>> told = find(since(), taken);
        if (told.isPresent()) {
          return told;
        }
      } else if (System.nanoTime() - due >= 0) {
        return Optional.empty();
      }
    }
  }

  /** Is another one whenever the coordinator has said something. */
  private String now() throws IOException {
    return Files.size(files.log()) + " " + files.underWay();
  }

  private List<Map<String, Object>> since() throws IOException {
    final List<Map<String, Object>> lines = files.lines(damaged -> {});
    return lines.subList(lines.lastIndexOf(before) + 1, lines.size());
  }

  /**
   * Finds what became of the first wave that began behind the call. Waves that were given up before
   * the request was taken are skipped, and so are waves that are tried again.
   */
  static Optional<Map<String, Object>> find(
      final List<Map<String, Object>> lines, final int taken) {
    Object wave = null;
    for (int i = 0; i < lines.size(); i++) {
      final Map<String, Object> line = lines.get(i);
      final boolean isOfWave = wave != null && wave.equals(line.get("checkpoint"));
      final String what = String.valueOf(line.get("what"));
      final boolean ends =
          switch (what) {
            case "committed", "failed" -> isOfWave;
            case "given up" -> isOfWave && i >= taken && !Boolean.TRUE.equals(line.get("again"));
            case "refused" -> wave == null;
            case "start", "restart" -> i >= taken;
            default -> false;
          };
      if (ends) {
        return Optional.of(line);
      }
      if (wave == null && what.equals("begun")) {
        wave = line.get("checkpoint");
      } else if (isOfWave && what.equals("given up")) {
        wave = null;
      }
    }
    return Optional.empty();
  }
}
