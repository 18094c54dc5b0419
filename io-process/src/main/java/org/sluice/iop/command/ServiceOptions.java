package org.sluice.iop.command;

import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.sluice.core.command.Arguments;
import org.sluice.core.command.Defaults;
import org.sluice.core.command.Model;
import org.sluice.core.command.SharedOptions;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.StoreOption;
import org.sluice.core.fault.Fault;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;
import org.sluice.core.request.RuntimePath;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.model.Keeping;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.iop.checkpoint.CheckpointSettings;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.checkpoint.PathPattern;
import org.sluice.iop.checkpoint.SessionSettings;
import org.sluice.iop.memory.Pages;
import org.sluice.iop.publish.StageSettings;
import org.sluice.iop.session.BufferSettings;
import org.sluice.iop.session.Settings;
import org.sluice.iop.session.StoreSettings;
import org.sluice.iop.wave.WaveFiles;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options of an I/O process. */
final class ServiceOptions implements SharedOptions {
  /** The ways in which a write proceeds that finds no free chunk. */
  enum WhenFull {
    wait,
    direct
  }

  private static final int ALL_WRITERS = 0;
  private static final String AUTO = "auto";
  private static final String NO_GROUP = "none";

  private final StoreOption store = new StoreOption();
  private final StageOptions stage = new StageOptions();
  private CommandSpec spec;

  private Optional<String> capture = Optional.empty();
  private long buffer;
  private long chunk;
  private int images;
  private Pages pages;
  private OptionalLong threshold;
  private WhenFull whenFull;
  private long small;
  private Layout layout;
  private String group;
  private Optional<String> alone = Optional.empty();
  private String complete;
  private Integer writers;
  private Integer filesPerRank;
  private String keep;
  private Optional<String> series = Optional.empty();
  private Duration grace;

  private Duration settle;
  private String name;
  private Path stats;

  @Override
  public void addTo(final Model model) {
    spec = model.spec();
    model
        .add(store)
        .add(stage)
        .add(
            option(String.class, value -> capture = Optional.ofNullable(value), "--capture")
                .paramLabel("DIR")
                .defaultValue("${env:SLUICE_CAPTURE}")
                .description(
                    "New files below this directory are captured; default: environment SLUICE_CAPTURE, or"
                        + " else, for exec, the working directory."))
        .add(
            option(Long.class, value -> buffer = value, "--buffer")
                .paramLabel("SIZE")
                .defaultValue("${sys:" + Defaults.BUFFER + ":-512M}")
                .converters(new SizeConverter())
                .description(
                    "Shared memory for what is not yet on storage; default: ${DEFAULT-VALUE}."))
        .add(
            option(Long.class, value -> chunk = value, "--chunk")
                .paramLabel("SIZE")
                .defaultValue("1M")
                .converters(new SizeConverter())
                .description(
                    "Bytes that a chunk holds, a power of two: those of one write; default: ${DEFAULT-VALUE}."))
        .add(
            option(Integer.class, value -> images = value, "--max-files")
                .paramLabel("N")
                .defaultValue("100000")
                .description(
                    "How many files can be captured at a time, those of the checkpoints that stay included;"
                        + " each takes up to 200 bytes of shared memory. Default: ${DEFAULT-VALUE}."))
        .add(
            option(Pages.class, value -> pages = value, "--pages")
                .paramLabel("auto|huge|small")
                .defaultValue("auto")
                .description(
                    "Pages of the buffer. auto: huge ones from, in this order, a tmpfs of its own (needs"
                        + " root), hugetlbfs, or shared memory mounted with huge=advise; small ones else."
                        + " Default: ${DEFAULT-VALUE}."))
        .add(
            option(OptionalLong.class, value -> threshold = value, "--threshold")
                .paramLabel("auto|fixed:SIZE")
                .defaultValue("${sys:" + Defaults.THRESHOLD + ":-auto}")
                .converters(new ThresholdConverter())
                .description(
                    "Writes of this size or more go to the file at once; auto: only as the buffer fills, the"
                        + " largest first. Default: ${DEFAULT-VALUE}."))
        .add(
            option(WhenFull.class, value -> whenFull = value, "--when-full")
                .paramLabel("wait|direct")
                .defaultValue("wait")
                .description(
                    "What a write does while the buffer is full: wait for room, or go to the file at once."
                        + " Default: ${DEFAULT-VALUE}."))
        .add(
            option(Long.class, value -> small = value, "--small")
                .paramLabel("SIZE")
                .defaultValue("${env:SLUICE_SMALL:-64K}")
                .converters(new SizeConverter())
                .description(
                    "Files layout: a new file is left to the kernel until it grows beyond this size, and for good if"
                        + " a program reads or shares it before. Container layout: what a process writes that has"
                        + " made several such files goes to its file, as do files opened like a database."
                        + " 0 for none. Default: ${DEFAULT-VALUE}."))
        .add(
            option(Layout.class, value -> layout = value, "--layout")
                .paramLabel("container|files")
                .description(
                    "What lands on storage; default: container for serve, files for run and exec."))
        .add(
            option(String.class, value -> group = value, "--group")
                .paramLabel("auto|none|REGEX")
                .description(
                    "Which files are one checkpoint; default: auto for run, none for serve. auto: Sluice finds"
                        + " out by the numbers in their names, says the expression, and remembers it in the store."
                        + " In the files layout it gives up for programs of many files that tell nothing."
                        + " none: no file is of one. An expression: a file whose path"
                        + " below the capture directory matches belongs to the checkpoint that the first"
                        + " capture group which took part numbers, as in"
                        + " 'a(\\d+)|b(\\d+)'. Without one all such files are checkpoint 1, for a program"
                        + " that writes over its files. One called 'rank', (?<rank>\\d+),"
                        + " says which rank writes the file: where nodes share a file system only such files of"
                        + " a job on several nodes are aggregated, in either layout."))
        .add(
            option(String.class, value -> alone = Optional.ofNullable(value), "--private")
                .paramLabel("REGEX")
                .defaultValue("${env:SLUICE_PRIVATE}")
                .description(
                    "In a job on several nodes that share a file system: a file whose path below the capture"
                        + " directory matches is opened on one node alone, and aggregated there. All others go"
                        + " direct, unless --group says which rank writes them; checkpoints name those with"
                        + " their sizes. Default: environment SLUICE_PRIVATE."))
        .add(
            option(String.class, value -> complete = value, "--complete")
                .paramLabel("REGEX")
                .description(
                    "With --group: a file whose closing completes the checkpoint that the first capture group"
                        + " which took part numbers, once no other file of it is open; it is a file of that checkpoint, too. No"
                        + " count completes one then."))
        .add(
            option(Integer.class, value -> writers = value, "--writers")
                .paramLabel("N")
                .description(
                    "How many ranks of a node write a checkpoint; default: as many as the launcher says run on"
                        + " it."))
        .add(
            option(Integer.class, value -> filesPerRank = value, "--files-per-rank")
                .paramLabel("N")
                .description(
                    "With --group: how many files of a checkpoint each rank writes, at least. It is committed"
                        + " when each has closed so many; default: 1, and again when more are closed."))
        .add(
            option(String.class, value -> keep = value, "--keep")
                .paramLabel("N|all")
                .description(
                    "How many checkpoints of a group or of the API stay: with a newer one the oldest goes, of earlier"
                        + " runs as well, its files in the capture directory included. New ones are written over its"
                        + " blocks, which takes a local disk less time. Default: all, on a stage what is copied but for 2; under"
                        + " sluice mpi 2, and each run's own."))
        .add(
            option(Duration.class, value -> settle = value, "--settle")
                .paramLabel("TIME")
                .defaultValue("1m")
                .converters(new DurationConverter())
                .description(
                    "Container layout: a file of a checkpoint that is not committed is made a plain file when"
                        + " nothing was written to it for so long; it can still be committed. Default:"
                        + " ${DEFAULT-VALUE}."))
        .add(
            option(String.class, value -> series = Optional.ofNullable(value), "--series")
                .paramLabel("NAME")
                .description(
                    "The series of checkpoints that the run goes on with, in a store that several nodes may use. The"
                        + " run that began last is the one that commits there. Default: 'default' where the"
                        + " store is on storage that other nodes may use."))
        .add(
            option(Duration.class, value -> grace = value, "--grace")
                .paramLabel("TIME")
                .defaultValue("${env:SLUICE_GRACE:-30s}")
                .converters(new DurationConverter())
                .description(
                    "From SIGTERM on there is so much time, such as 30s or 2m, to commit what is written. What"
                        + " is not done by then is named and kept in the buffer. Default: environment"
                        + " SLUICE_GRACE, or else 30s."))
        .add(
            option(String.class, value -> name = value, "--name")
                .paramLabel("NAME")
                .description(
                    "Name of the I/O process, unique per user and node; default: 'default' for serve, run-PID"
                        + " for run, after the launcher's job for exec."))
        .add(
            option(Path.class, value -> stats = value, "--stats")
                .paramLabel("FILE")
                .description("Leave statistics in this file at the end, as JSON."));
  }

  Settings settings(final boolean endsWithMembers) throws IOException {
    final Grouping grouping = grouping();
    final Optional<StageSettings> bucket = stage.settings(store);
    final Path own = bucket.isPresent() ? bucket.get().directory() : store.directory();
    return new Settings(
        new StoreSettings(own, bucket, series()),
        captured(own.toString()),
        new BufferSettings(
            geometry(),
            pages,
            threshold,
            whenFull == WhenFull.direct
                ? HeaderDescriptor.WHEN_FULL_DIRECT
                : HeaderDescriptor.WHEN_FULL_WAIT,
            small),
        layout == null ? Layout.CONTAINER : layout,
        new SessionSettings(
            name == null ? RuntimePath.DEFAULT_NAME : name,
            store.absolute(),
            checkpoints(grouping),
            endsWithMembers,
            grace),
        faults());
  }

  private CheckpointSettings checkpoints(final Grouping grouping) {
    return new CheckpointSettings(
        grouping,
        alone.filter(regex -> !regex.isEmpty()).map(regex -> regex("--private", regex)),
        writers(),
        keep(),
        settle);
  }

  StoreOption store() {
    return store;
  }

  /** Returns the file for statistics at the end; null for none. */
  Path stats() {
    return stats;
  }

  CommandSpec command() {
    return spec;
  }

  ParameterException usage(final String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private Geometry geometry() {
    if (Long.bitCount(chunk) != 1
        || chunk < Geometry.MIN_CHUNK_LENGTH
        || chunk > Geometry.MAX_CHUNK_LENGTH) {
      throw usage(
          "--chunk has to be a power of two from %d to %d, not %d"
              .formatted(Geometry.MIN_CHUNK_LENGTH, Geometry.MAX_CHUNK_LENGTH, chunk));
    }
    if (buffer < chunk || buffer / chunk > Geometry.MAX_CHUNK_COUNT) {
      throw usage(
          "--buffer has to hold from 1 to %d chunks of %d bytes, not %d bytes"
              .formatted(Geometry.MAX_CHUNK_COUNT, chunk, buffer));
    }
    if (images < 1 || images > Geometry.MAX_FILES) {
      throw usage(
          "--max-files has to be from 1 to %d, not %d".formatted(Geometry.MAX_FILES, images));
    }
    return Geometry.of(images, buffer, (int) chunk);
  }

  private Optional<String> series() {
    if (!series.map(SeriesDirectory::isName).orElse(true)) {
      throw usage(
          "--series has to be of letters, digits, dots, hyphens and underscores, not "
              + series.get());
    }
    return series;
  }

  private Grouping grouping() {
    final boolean grouped = group != null && !group.equals(NO_GROUP);
    final int perRank = count("--files-per-rank", filesPerRank, 1);
    needsGroup("--files-per-rank", filesPerRank, grouped);
    needsGroup("--complete", complete, grouped);
    if (!grouped) {
      return Grouping.NONE;
    }
    final PathPattern files = group.equals(AUTO) ? null : pattern("--group", group);
    return new Grouping(files, marker(files), writers(), perRank);
  }

  private void needsGroup(final String option, final Object given, final boolean grouped) {
    if (given != null && !grouped) {
      throw usage(option + " needs --group: nothing else says which files are a checkpoint");
    }
  }

  private PathPattern marker(final PathPattern files) {
    if (complete == null) {
      return null;
    }
    if (filesPerRank != null) {
      throw usage(
          "--files-per-rank has no use with --complete, which no count completes; drop one");
    }
    final PathPattern marker = pattern("--complete", complete);
    if ((files == null || files.tellsNumbers()) && !marker.tellsNumbers()) {
      throw usage("--complete needs a capture group for the checkpoint's number: " + complete);
    }
    return marker;
  }

  private int writers() {
    return count("--writers", writers, ALL_WRITERS);
  }

  private int count(final String option, final Integer given, final int other) {
    if (given != null && given < 1) {
      throw usage("%s %d: a checkpoint has at least one".formatted(option, given));
    }
    return given == null ? other : given;
  }

  private Keeping keep() {
    final boolean waves = WaveFiles.areOfAJob();
    if (keep == null) {
      return waves ? Keeping.WAVES : Keeping.DEFAULT;
    }
    if (keep.equals("all")) {
      return Keeping.ALL;
    }
    if (!keep.matches("0*[1-9]\\d{0,8}")) {
      throw usage("--keep: neither all nor a number from 1 on: " + keep);
    }
    final int most = Integer.parseInt(keep);
    return new Keeping(most, most, !waves);
  }

  private List<Fault> faults() {
    try {
      return Fault.parse(System.getenv().getOrDefault(Fault.VARIABLE, ""));
    } catch (final IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
  }

  private PathPattern pattern(final String option, final String given) {
    return new PathPattern(regex(option, given));
  }

  private Pattern regex(final String option, final String regex) {
    try {
      return Pattern.compile(regex);
    } catch (final PatternSyntaxException e) {
      throw usage(option + ": " + e.getDescription() + ": " + regex);
    }
  }

  private Optional<String> captured(final String own) throws IOException {
    if (capture.isEmpty()) {
      return capture;
    }
    final String path = Arguments.exactValue(capture.get());
    makeUnlessThere(path);
    final String real = Names.real(path);
    if (Names.exists(own) && FileName.isWithin(real, Names.real(own))) {
      throw usage(
          "--capture %s lies in the store, where nothing is captured; name a directory outside"
              .formatted(capture.get()));
    }
    return Optional.of(real);
  }

  /** Makes the directory, which another node may do at the same moment. */
  private static void makeUnlessThere(final String path) throws PosixException {
    try {
      if (!Names.exists(path)) {
        Names.createDirectory(path);
      }
    } catch (final PosixException e) {
      e.throwUnless(Errno.EEXIST);
    }
  }
}
