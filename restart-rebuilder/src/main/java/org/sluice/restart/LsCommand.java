package org.sluice.restart;

import static java.util.Comparator.comparing;
import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.sluice.core.command.Capacity;
import org.sluice.core.command.ErrorLine;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.SeriesOption;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.LocalTimes;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.parts.Stores;
import org.sluice.core.store.series.SeriesReader;
import org.sluice.core.store.series.Waiting;
import org.sluice.core.store.stage.StageReport;
import picocli.CommandLine.Model.CommandSpec;

/** The command that lists checkpoints and images. */
public final class LsCommand implements Subcommand {
  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();
  private final JsonOption json = new JsonOption();

  private Optional<CheckpointKey> key = Optional.empty();
  private Optional<Path> stage = Optional.empty();
  private boolean withImages;

  private final CommandSpec spec =
      Model.of(this, "ls")
          .describe(
              "Lists the committed checkpoints of a store, the one committed last at the end.",
              "Where a store has several series, it lists one after the other.",
              "BY says by what one counts as complete: api, mpi (job), marker, count (of files), end (of the run).",
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
              option(CheckpointKey.class, value -> key = Optional.of(value), "--checkpoint")
                  .paramLabel(CheckpointKey.LABEL)
                  .converters(CheckpointKey::parse)
                  .description("Only this checkpoint, with its images."))
          .add(
              flag(value -> withImages = value, "-l", "--images")
                  .description("List the images as well."))
          .add(
              option(Path.class, value -> stage = Optional.ofNullable(value), "--stage")
                  .paramLabel("DIR")
                  .defaultValue("${env:SLUICE_STAGE}")
                  .description(
                      "Also what is copied to a bucket from this stage just now, and what a run that is over"
                          + " has left there; default: environment SLUICE_STAGE."))
          .examples(
              "  sluice ls --store /scratch/store",
              "  sluice ls --store /scratch/store --checkpoint 12",
              "  sluice ls --store /scratch/store --json | jq .newest")
          .spec();

  private final List<IOException> unreadable = new ArrayList<>();
  private final Map<Commit, List<CommittedImage>> images = new HashMap<>();

  private String location;

  /** The states of copies of commits on a stage, by the commits' ids. */
  private final Map<Long, String> copies = new HashMap<>();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  /**
   * The listing of a series.
   *
   * @param series name of the series; empty in a store of one node
   */
  private record Listed(
      Optional<String> series,
      List<Commit> commits,
      Optional<Commit> newest,
      List<Waiting> waiting,
      List<StageReport.Line> copying) {}

  @Override
  public Integer call() throws IOException {
    final List<Listed> all = new ArrayList<>();
    for (final Optional<String> name : Stores.names(store, series.name())) {
      all.add(list(name));
    }
    final List<Commit> commits = all.stream().flatMap(one -> one.commits().stream()).toList();
    if (key.isPresent() && commits.isEmpty()) {
      throw key.get().none(location);
    }
    final Optional<Capacity> capacity =
        key.isEmpty() && !store.isElsewhere()
            ? Capacity.of(store.directory(), commits)
            : Optional.empty();
    if (json.wanted()) {
      printJson(all, capacity);
    } else {
      print(all);
      capacity
          .filter(Capacity::isLimited)
          .map(Capacity::toString)
          .map(Quoting::line)
          .ifPresent(this::printLine);
    }
    if (!unreadable.isEmpty()) {
      throw Damage.failure(unreadable);
    }
    if (key.isEmpty()) {
      tellRestores();
    }
    return ExitStatus.OK.code();
  }

  /** Warns of files of killed restores in users' directories, which are no part of the store. */
  private void tellRestores() throws IOException {
    for (final BuildPlaces.Left left : BuildPlaces.of(store).left(false)) {
      ErrorLine.say(
          spec,
          "a restore to %s was killed and left %s in hidden files; sluice gc removes them"
              .formatted(Quoting.name(left.directory()), SizeConverter.format(left.bytes())));
    }
  }

  private Listed list(final Optional<String> name) throws IOException {
    try (CheckpointReader opened = Stores.open(store, name)) {
      location = opened.store();
      final int others = unreadable.size();
      final List<Commit> commits =
          showsImages()
              ? Selection.read(
                  opened, () -> find(opened, others), commit -> readImages(opened, commit))
              : find(opened, others);
      final List<Waiting> waiting =
          key.isEmpty() && opened instanceof final SeriesReader nodes
              ? nodes.waiting(unreadable::add)
              : List.of();
      return new Listed(
          opened.series(),
          commits,
          unreadable.size() > others && isDoubtful(opened, commits)
              ? Optional.empty()
              : CheckpointReader.newest(commits),
          waiting,
          copying(opened));
    }
  }

  /** Returns whether an unreadable checkpoint may be newer than the newest readable one. */
  private static boolean isDoubtful(final CheckpointReader opened, final List<Commit> commits)
      throws IOException {
    final Optional<Commit> newest = CheckpointReader.newest(commits);
    return newest.isPresent() && !opened.doubts(newest.get()).isEmpty();
  }

  /**
   * Returns the number of the checkpoint that restore takes; null if there is none, or it is
   * unknown.
   */
  private static Long newest(final List<Listed> all) {
    return all.stream()
        .filter(
            one ->
                all.size() == 1 || one.series().filter(Stores.DEFAULT_SERIES::equals).isPresent())
        .flatMap(one -> one.newest().stream())
        .map(Commit::number)
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns the checkpoints that this node copies to a bucket. For a stage's own store, notes the
   * states of all copies.
   */
  private List<StageReport.Line> copying(final CheckpointReader opened) throws IOException {
    if (opened instanceof final SeriesReader bucket) {
      return stage.isPresent() && store.isElsewhere() && key.isEmpty()
          ? StageReport.underWay(
              stage.get(),
              store.location(),
              opened.series().orElseThrow(),
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

  private static JsonObject members(final StageReport.Line one) {
    return new JsonObject()
        .with("number", one.number())
        .with("state", one.state().name().toLowerCase(Locale.ROOT))
        .with("percent", one.percent());
  }

  /**
   * Finds the checkpoints of a series. A repeated search counts unreadable checkpoints anew, after
   * those of other series.
   */
  private List<Commit> find(final CheckpointReader opened, final int others) throws IOException {
    unreadable.subList(others, unreadable.size()).clear();
    if (key.isEmpty()) {
      unreadable.addAll(opened.lost());
    }
    return key.isEmpty()
        ? opened.commits(unreadable::add)
        : key.get().find(opened).stream().toList();
  }

  /** A checkpoint with an unreadable index is listed without images. */
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
    return withImages || key.isPresent();
  }

  private void printJson(final List<Listed> all, final Optional<Capacity> capacity)
      throws IOException {
    json.print(
        new JsonObject()
            .with("store", location)
            .with(
                "newest",
                key.isEmpty() || !(key.get() instanceof CheckpointKey.Numbered(long number))
                    ? newest(all)
                    : number)
            .with("checkpoints", members(all, Listed::commits, this::members))
            .with("waiting", members(all, Listed::waiting, LsCommand::members))
            .with("copying", members(all, Listed::copying, LsCommand::members))
            .with("capacity", capacity.stream().map(LsCommand::members).toList()));
  }

  private static <T> List<JsonObject> members(
      final List<Listed> all,
      final Function<Listed, List<T>> lines,
      final Function<T, JsonObject> members) {
    return all.stream()
        .flatMap(
            one ->
                lines.apply(one).stream()
                    .map(members)
                    .map(line -> one.series().map(name -> line.with("series", name)).orElse(line)))
        .toList();
  }

  private void print(final List<Listed> all) {
    final int width =
        all.size() < 2
            ? 0
            : all.stream()
                .flatMap(one -> one.series().stream())
                .mapToInt(String::length)
                .max()
                .orElse(0);
    final UnaryOperator<String> column =
        series ->
            width == 0 ? "" : ("%-" + Math.max(width, "SERIES".length()) + "s  ").formatted(series);
    final boolean named =
        all.stream().flatMap(one -> one.commits().stream()).anyMatch(c -> c.name().isPresent());
    printLine(
        column.apply("SERIES")
            + "%10s %-19s %-6s %-10s %-9s %5s %6s %7s"
                .formatted(
                    "CHECKPOINT", "COMMITTED", "BY", "NODE", "LAYOUT", "RANKS", "IMAGES", "SIZE")
            + (named ? "  NAME" : ""));
    for (final Listed one : all) {
      final String first = column.apply(one.series().orElse(""));
      for (final Commit commit : one.commits()) {
        printLine(first + line(commit));
        if (showsImages()) {
          images.get(commit).forEach(image -> printLine(column.apply("") + line(image)));
        }
      }
      one.waiting().forEach(waiting -> printLine(first + line(waiting)));
      one.copying()
          .forEach(copying -> printLine(first + "%10s  %s".formatted(copying.number(), copying)));
    }
  }

  private String line(final Commit commit) {
    return "%10s %-19s %-6s %-10s %-9s %5s %6s %7s%s"
        .formatted(
            commit.number(),
            LocalTimes.seconds(commit.identity().time()),
            commit.completion().map(Completion::label).orElse("-"),
            Quoting.name(commit.source().node()),
            commit.layout(),
            ranks(commit),
            commit.content().images(),
            SizeConverter.format(commit.content().bytes()),
            commit.name().map(name -> "  " + Quoting.name(name)).orElse("")
                + commit.caveat().map(caveat -> "  " + Quoting.line(caveat)).orElse("")
                + Optional.ofNullable(copies.get(commit.id())).map("  "::concat).orElse(""));
  }

  private static String line(final Waiting one) {
    return one.missing().isEmpty()
        ? "%10s  has the parts of all ranks, and waits for its commit".formatted(one.number())
        : "%10s  waits for ranks %s of %d; nodes that are done: %d"
            .formatted(one.number(), one.missing(), one.ranks(), one.nodes());
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
    final String all =
        commit.coverage().ranks() == 0 ? "-" : String.valueOf(commit.coverage().ranks());
    return commit.coverage().part().isEmpty() ? all : commit.coverage().part().size() + "/" + all;
  }

  private static String line(final CommittedImage image) {
    return "%10s  rank %-4s  %8s  %s%s"
        .formatted(
            "",
            image.rank() < 0 ? "-" : image.rank(),
            SizeConverter.format(image.size()),
            Quoting.name(image.path()),
            image.isDirect()
                ? "  stays in " + Quoting.name(image.sharing().file())
                : earlier(image));
  }

  private static String earlier(final CommittedImage image) {
    return image.holders().isEmpty()
        ? ""
        : "  %s of it in the files of earlier checkpoints"
            .formatted(SizeConverter.format(image.earlierBytes()));
  }

  private JsonObject members(final Commit commit) {
    final JsonObject members =
        new JsonObject()
            .with("number", commit.number())
            .with("name", commit.name().orElse(null))
            .with("commit", "%016x".formatted(commit.id()))
            .with("time", commit.identity().time().toString())
            .with("complete", commit.completion().map(Completion::label).orElse(null))
            .with("incomplete", commit.incomplete())
            .with("node", commit.source().node())
            .with("job", commit.source().job())
            .with("layout", commit.layout().toString())
            .with("ranks", commit.coverage().ranks())
            .with(
                "part", commit.coverage().part().isEmpty() ? null : commit.coverage().part().list())
            .with("image_count", commit.content().images())
            .with("bytes", commit.content().bytes());
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
            .with("ranks", image.attributes().ranks())
            .with("mode", "%04o".formatted(image.attributes().mode()))
            .with("size", image.size())
            .with("earlier_bytes", image.earlierBytes());
    return image.isDirect() ? members.withFile("direct", image.sharing().file()) : members;
  }
}
