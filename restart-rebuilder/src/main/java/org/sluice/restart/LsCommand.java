package org.sluice.restart;

import static java.util.Comparator.comparing;
import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.sluice.core.command.Capacity;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.SeriesOption;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.series.SeriesReader;
import org.sluice.core.series.StageReport;
import org.sluice.core.series.Stores;
import org.sluice.core.series.Waiting;
import org.sluice.core.store.CheckpointReader;
import org.sluice.core.store.Commit;
import org.sluice.core.store.CommittedImage;
import org.sluice.core.store.Completion;
import picocli.CommandLine.Model.CommandSpec;

/** Lists checkpoints and images. */
public final class LsCommand implements Subcommand {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();
  private final JsonOption json = new JsonOption();

  private Long number;
  private Path stage;
  private boolean withImages;

  private final CommandSpec spec =
      Model.of(this, "ls")
          .describe(
              "Lists the committed checkpoints of a store, the one committed last at the end.",
              "BY says by what one counts as complete: api, marker, count (of files), end (of the run).",
              "The last line says how many more checkpoints like the last one there is room for.")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.NOT_FOUND,
              ExitStatus.DAMAGED,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION)
          .add(store)
          .add(series)
          .add(json)
          .add(
              option(Long.class, value -> number = value, "--checkpoint")
                  .paramLabel("N")
                  .description("Only this checkpoint, with its images."))
          .add(
              flag(value -> withImages = value, "-l", "--images")
                  .description("List the images as well."))
          .add(
              option(Path.class, value -> stage = value, "--stage")
                  .paramLabel("DIR")
                  .defaultValue("${env:SLUICE_STAGE}")
                  .description(
                      "Also what is copied to a bucket from this stage just now, and what a run that is over"
                          + " has left there; default: environment SLUICE_STAGE."))
          .examples(
              "  sluice ls --store /scratch/store",
              "  sluice ls --store /scratch/store --checkpoint 12",
              "  sluice ls --store /scratch/store --json | jq '.checkpoints[-1].number'")
          .spec();

  private final List<IOException> unreadable = new ArrayList<>();
  private final Map<Commit, List<CommittedImage>> images = new HashMap<>();

  /** What becomes of commits on a stage, by their ids. */
  private final Map<Long, String> copies = new HashMap<>();

  /** For {@code ServiceLoader}. */
  public LsCommand() {}

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    try (CheckpointReader opened = Stores.open(store, series.name())) {
      final List<Commit> commits =
          showsImages()
              ? Selection.read(opened, () -> find(opened), commit -> readImages(opened, commit))
              : find(opened);
      final List<Waiting> waiting =
          number == null && opened instanceof final SeriesReader nodes
              ? nodes.waiting(unreadable::add)
              : List.of();
      final List<StageReport.Line> copying = copying(opened);
      final Optional<Capacity> capacity =
          number == null && !store.isElsewhere()
              ? Capacity.of(store.directory(), commits)
              : Optional.empty();
      if (json.wanted()) {
        json.print(
            spec,
            new JsonObject()
                .with("store", opened.store())
                .with("checkpoints", commits.stream().map(this::members).toList())
                .with("waiting", waiting.stream().map(LsCommand::members).toList())
                .with("copying", copying.stream().map(LsCommand::members).toList())
                .with("capacity", capacity.stream().map(LsCommand::members).toList()));
      } else {
        printTable(commits);
        waiting.forEach(this::printWaiting);
        copying.forEach(this::printCopying);
        capacity
            .filter(Capacity::isLimited)
            .map(Capacity::toString)
            .map(Quoting::line)
            .ifPresent(this::printLine);
      }
    }
    if (!unreadable.isEmpty()) {
      throw Damage.failure(unreadable);
    }
    return ExitStatus.OK.code();
  }

  /** What this node copies to a bucket; of a stage's own store it is known what becomes of each. */
  private List<StageReport.Line> copying(final CheckpointReader opened) throws IOException {
    if (opened instanceof final SeriesReader bucket) {
      return stage != null && store.isElsewhere() && number == null
          ? StageReport.underWay(
              stage,
              store.location(),
              series.name(),
              (place, commit) ->
                  bucket
                      .roundOf(place.begin(), place.node(), commit.number(), commit.id())
                      .isPresent(),
              unreadable::add)
          : List.of();
    }
    StageReport.read(store.directory()).forEach(one -> copies.put(one.commit(), one.toString()));
    return List.of();
  }

  private void printCopying(final StageReport.Line one) {
    spec.commandLine().getOut().printf("%10d  %s%n", one.number(), one);
  }

  private static JsonObject members(final StageReport.Line one) {
    return new JsonObject()
        .with("number", one.number())
        .with("state", one.state().name().toLowerCase(Locale.ROOT))
        .with("percent", one.percent());
  }

  private List<Commit> find(final CheckpointReader opened) throws IOException {
    unreadable.clear();
    return number == null
        ? opened.commits(unreadable::add)
        : List.of(Selection.commit(opened, number));
  }

  /** A checkpoint whose index cannot be read is listed without its images. */
  private void readImages(final CheckpointReader opened, final Commit commit) {
    try {
      images.put(
          commit,
          opened.images(commit).stream()
              .sorted(comparing(CommittedImage::rank).thenComparing(CommittedImage::path))
              .toList());
    } catch (final IOException e) {
      unreadable.add(e);
      images.put(commit, List.of());
    }
  }

  private boolean showsImages() {
    return withImages || number != null;
  }

  private void printTable(final List<Commit> commits) {
    final PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%10s  %-19s  %-6s  %-12s %-9s  %5s  %6s  %8s%n",
        "CHECKPOINT", "COMMITTED", "BY", "NODE", "LAYOUT", "RANKS", "IMAGES", "SIZE");
    for (final Commit commit : commits) {
      out.printf(
          "%10d  %-19s  %-6s  %-12s %-9s  %5s  %6d  %8s%s%n",
          commit.number(),
          TIME.format(commit.time()),
          commit.completion().map(Completion::label).orElse("-"),
          Quoting.name(commit.node()),
          layout(commit),
          ranks(commit),
          commit.imageCount(),
          SizeConverter.format(commit.bytes()),
          commit.caveat().map(caveat -> "  " + Quoting.line(caveat)).orElse("")
              + Optional.ofNullable(copies.get(commit.id())).map(copy -> "  " + copy).orElse(""));
      if (showsImages()) {
        images.get(commit).forEach(image -> printImage(out, image));
      }
    }
  }

  private void printWaiting(final Waiting one) {
    final PrintWriter out = spec.commandLine().getOut();
    if (one.missing().isEmpty()) {
      out.printf("%10d  has the parts of all ranks, and waits for its commit%n", one.number());
      return;
    }
    out.printf(
        "%10d  waits for ranks %s of %d; nodes that are done: %d%n",
        one.number(), one.missing(), one.ranks(), one.nodes());
  }

  private void printLine(final String line) {
    spec.commandLine().getOut().println(line);
  }

  private static JsonObject members(final Capacity capacity) {
    final boolean limited = capacity.isLimited();
    return new JsonObject()
        .with("place", capacity.place())
        .with("checkpoint_bytes", capacity.each())
        .with("free_bytes", limited ? capacity.free() : null)
        .with("more_checkpoints", limited ? capacity.more() : null);
  }

  private static JsonObject members(final Waiting one) {
    return new JsonObject()
        .with("number", one.number())
        .with("ranks", one.ranks())
        .with("missing", one.missing().list())
        .with("nodes", one.nodes());
  }

  private static String ranks(final Commit commit) {
    final String all = commit.ranks() == 0 ? "-" : String.valueOf(commit.ranks());
    return commit.part().isEmpty() ? all : commit.part().size() + "/" + all;
  }

  private static void printImage(final PrintWriter out, final CommittedImage image) {
    out.printf(
        "%10s  rank %-4s  %8s  %s%s%n",
        "",
        image.rank() < 0 ? "-" : image.rank(),
        SizeConverter.format(image.size()),
        Quoting.name(image.path()),
        image.isDirect() ? "  stays in " + Quoting.name(image.sharing().file()) : "");
  }

  private JsonObject members(final Commit commit) {
    final JsonObject members =
        new JsonObject()
            .with("number", commit.number())
            .with("commit", "%016x".formatted(commit.id()))
            .with("time", commit.time().toString())
            .with("complete", commit.completion().map(Completion::label).orElse(null))
            .with("incomplete", commit.incomplete())
            .with("node", commit.node())
            .with("job", commit.job())
            .with("layout", layout(commit))
            .with("ranks", commit.ranks())
            .with("part", commit.part().isEmpty() ? null : commit.part().list())
            .with("image_count", commit.imageCount())
            .with("bytes", commit.bytes());
    if (copies.containsKey(commit.id())) {
      members.with("copy", copies.get(commit.id()));
    }
    return showsImages()
        ? members.with("images", images.get(commit).stream().map(LsCommand::members).toList())
        : members;
  }

  private static JsonObject members(final CommittedImage image) {
    final JsonObject members =
        new JsonObject()
            .withFile("path", image.path())
            .with("rank", image.rank())
            .with("ranks", image.ranks())
            .with("mode", "%04o".formatted(image.mode()))
            .with("size", image.size());
    return image.isDirect() ? members.withFile("direct", image.sharing().file()) : members;
  }

  private static String layout(final Commit commit) {
    return commit.layout() == HeaderDescriptor.LAYOUT_FILES ? "files" : "container";
  }
}
