package org.sluice.restart;

import static org.sluice.core.command.Model.option;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ErrorLine;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.SeriesOption;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.process.ParallelReading;
import org.sluice.core.process.PipeEnd;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.parts.Stores;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command that {@code sluice criu} has verify a checkpoint, and write its images into pipes.
 * Texts in both directions end with a zero byte:
 *
 * <ul>
 *   <li>to the caller once all is verified: the number, a size and a path of each image, an empty
 *       text;
 *   <li>to this process: a descriptor of the caller, which is a pipe, and the path of an image;
 *   <li>to the caller: a descriptor whose image is written, or {@code -} after a failure.
 * </ul>
 *
 * The caller keeps each descriptor open until then. So no reader takes a part for the whole.
 */
public final class CriuImagesCommand implements Subcommand {
  private static final String FAILED = "-";

  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();
  private final Map<String, ImageInOrder> images = new ConcurrentHashMap<>();

  private Optional<CheckpointKey> key = Optional.empty();

  /** The first failure of a thread that writes an image; guarded by this. */
  private IOException failure;

  private final CommandSpec spec = model();

  private CommandSpec model() {
    final CommandSpec model =
        Model.of(this, "images")
            .describe("Verifies a checkpoint, and writes its images into pipes of the caller.")
            .examples("  sluice criu images --store /scratch/store --checkpoint 7")
            .exits(
                ExitStatus.NO_STORE,
                ExitStatus.NOT_FOUND,
                ExitStatus.DAMAGED,
                ExitStatus.NO_ROOM,
                ExitStatus.DENIED,
                ExitStatus.OTHER_VERSION)
            .add(store)
            .add(series)
            .add(
                option(CheckpointKey.class, value -> key = Optional.of(value), "--checkpoint")
                    .paramLabel(CheckpointKey.LABEL)
                    .converters(CheckpointKey::parse)
                    .description("Which checkpoint; default: the one committed last."))
            .spec();
    model.usageMessage().hidden(true);
    return model;
  }

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    try (CheckpointReader opened = Stores.open(store, series.name())) {
      Selection.read(opened, () -> List.of(find(opened)), commit -> serve(opened, commit));
    }
    return ExitStatus.OK.code();
  }

  private Commit find(final CheckpointReader opened) throws IOException {
    final List<IOException> older = new ArrayList<>();
    final Commit found = Selection.commit(opened, key, older);
    older.forEach(damage -> ErrorLine.say(spec, Selection.unreadable(damage)));
    return found;
  }

  private void serve(final CheckpointReader opened, final Commit commit) throws IOException {
    verify(opened, commit);
    say(String.valueOf(commit.number()));
    for (final ImageInOrder each : images.values()) {
      say(String.valueOf(each.image().size()));
      say(each.image().path());
    }
    say("");
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      final InputStream requests = new BufferedInputStream(System.in);
      for (String pipe = hear(requests); pipe != null; pipe = hear(requests)) {
        final int descriptor = Integer.parseInt(pipe);
        final ImageInOrder image = images.get(hear(requests));
        threads.execute(() -> write(opened, commit, image, descriptor));
      }
    }
    throwFailure();
  }

  private void verify(final CheckpointReader opened, final Commit commit) throws IOException {
    images.clear();
    new ParallelReading<Rebuilder, CommittedImage>(
            several -> opened.rebuilder(commit, several),
            opened.images(commit),
            Math.min(ParallelReading.MOST, 2 * Runtime.getRuntime().availableProcessors()),
            (rebuilder, image) -> {
              final ImageInOrder ordered = ImageInOrder.of(rebuilder, image);
              ordered.verify(rebuilder);
              images.put(image.path(), ordered);
            })
        .run();
  }

  /** Writes one image. The reader may want no more than its beginning. */
  private void write(
      final CheckpointReader opened,
      final Commit commit,
      final ImageInOrder image,
      final int descriptor) {
    final int caller = (int) ProcessHandle.current().parent().orElseThrow().pid();
    try (PipeEnd pipe = PipeEnd.of(caller, descriptor);
        Rebuilder rebuilder = opened.rebuilder(commit, true);
        Outlet out = new Outlet((address, length) -> pipe.write(address, length, Long.MAX_VALUE))) {
      image.write(rebuilder, out);
    } catch (final IOException e) {
      if (!(e instanceof final PosixException known) || known.errno() != Errno.EPIPE) {
        fail(e);
        return;
      }
    }
    say(String.valueOf(descriptor));
  }

  private synchronized void fail(final IOException why) {
    if (failure == null) {
      failure = why;
    }
    say(FAILED);
  }

  private synchronized void throwFailure() throws IOException {
    if (failure != null) {
      throw failure;
    }
  }

  private static void say(final String text) {
    final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    synchronized (System.out) {
      System.out.write(bytes, 0, bytes.length);
      System.out.write(0);
      System.out.flush();
    }
  }

  /** Returns the next text, null at the end. */
  private static String hear(final InputStream in) throws IOException {
    final ByteArrayOutputStream text = new ByteArrayOutputStream();
    int next = in.read();
    if (next < 0) {
      return null;
    }
    for (; next > 0; next = in.read()) {
      text.write(next);
    }
    if (next < 0) {
      throw new CommandException(ExitStatus.FAILED, "a request of the caller is cut");
    }
    return text.toString(StandardCharsets.UTF_8);
  }
}
