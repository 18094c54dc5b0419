package org.sluice.core.store.stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.node.PosixReader;

/** The report on the checkpoints of a stage, as its I/O process last wrote it, for people. */
public final class StageReport {
  private static final String FILE = PosixReader.COPIES;
  private static final int MOST = 1 << 17;
  private static final Pattern LINE = Pattern.compile("([0-9a-f]{16}) (\\d+) ([a-z]+) (\\d+)");

  private StageReport() {}

  public enum State {
    /** The checkpoint is not to leave the node. */
    LOCAL("local only"),
    /** Other checkpoints are copied first. */
    WAITING("waits for its copy"),
    /** A part of the checkpoint is copied. */
    COPYING("copying"),
    /** All of this node's part is copied, but perhaps not those of other nodes. */
    COPIED("copied"),
    /** All nodes have copied their parts. */
    SHARED("in the bucket"),
    /** No process copies the checkpoint any more. */
    LEFT("not copied: the run ended"),
    /** The copy was given up. */
    REFUSED("could not be copied, on this node only");

    private final String text;

    State(final String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  public record Line(long commit, long number, State state, int percent) {
    private Line left() {
      return state == State.WAITING || state == State.COPYING
          ? new Line(commit, number, State.LEFT, 0)
          : this;
    }

    @Override
    public String toString() {
      return state == State.COPYING ? "copying %d %%".formatted(percent) : state.text();
    }
  }

  public static void write(final Path own, final Collection<Line> lines) throws IOException {
    final Path draft = own.resolve(FILE + ".new");
    final String text = lines.stream().map(StageReport::text).collect(Collectors.joining());
    Files.write(draft, SealedText.encode(text));
    Files.move(draft, own.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
  }

  private static String text(final Line line) {
    return "%s %d %s %d%n"
        .formatted(
            HexFormat.of().toHexDigits(line.commit()),
            line.number(),
            line.state().name().toLowerCase(Locale.ROOT),
            line.percent());
  }

  /**
   * Reads the last report. Copies that a dead process was about to make are not made.
   *
   * @return no line where the store is on no stage, or the report is damaged, which verify reports
   */
  public static List<Line> read(final Path own) throws IOException {
    final List<Line> lines = new ArrayList<>();
    final boolean used = StagePlace.isUsed(own);
    try {
      SealedText.read(own.resolve(FILE), MOST)
          .lines()
          .forEach(text -> line(text).map(line -> used ? line : line.left()).ifPresent(lines::add));
    } catch (final DamagedException missingOrNoReport) {
      return lines;
    }
    return lines;
  }

  private static Optional<Line> line(final String text) {
    final Matcher match = LINE.matcher(text);
    if (!match.matches()) {
      return Optional.empty();
    }
    for (final State state : State.values()) {
      if (state.name().toLowerCase(Locale.ROOT).equals(match.group(3))) {
        return Optional.of(
            new Line(
                HexFormat.fromHexDigitsToLong(match.group(1)),
                Long.parseLong(match.group(2)),
                state,
                Integer.parseInt(match.group(4))));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the checkpoints under way, and those that finished runs have left on the way.
   *
   * @param series name of the series
   * @param counts whether a commit counts by now
   * @param unreadable told of each run whose state cannot be read
   */
  public static List<Line> underWay(
      final Path stage,
      final String uri,
      final String series,
      final StageRemains.Counts counts,
      final Consumer<IOException> unreadable)
      throws IOException {
    final List<Line> lines = new ArrayList<>();
    for (final Path own : StagePlace.all(stage, uri, series)) {
      try {
        lines.addAll(underWay(own, counts));
      } catch (final IOException e) {
        unreadable.accept(e);
      }
    }
    return lines;
  }

  private static List<Line> underWay(final Path own, final StageRemains.Counts counts)
      throws IOException {
    return StagePlace.isUsed(own)
        ? read(own).stream()
            .filter(line -> line.state() == State.WAITING || line.state() == State.COPYING)
            .toList()
        : StageRemains.uncopied(own, counts).stream()
            .map(commit -> new Line(commit.id(), commit.number(), State.LEFT, 0))
            .toList();
  }
}
