package org.sluice.iop.session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.directory.SeriesFormat;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.core.store.parts.Stores;
import org.sluice.core.store.series.PartReader;
import org.sluice.core.store.series.SeriesRun;
import org.sluice.core.store.series.SeriesStore;
import org.sluice.core.store.stage.StagePlace;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.publish.Publisher;
import org.sluice.iop.publish.SeriesCommits;
import org.sluice.iop.publish.SeriesPublisher;
import org.sluice.iop.publish.SeriesStorage;
import org.sluice.iop.publish.StageSettings;
import org.sluice.iop.wave.WaveFiles;

/**
 * The store of a session: a store of this node alone or, on storage that other nodes may use, this
 * node's place in a series. The path says which it is.
 *
 * @param publisher place where its commits count
 */
record SessionStore(PosixStore store, Publisher publisher) implements AutoCloseable {
  /**
   * Finds the store of a session that begins, makes it if it is not there, and joins the run.
   *
   * @param job claim that takes the node's place in a series before that
   */
  static Path find(final Settings settings, final OneJob job) throws IOException {
    final Optional<String> asked = settings.store().series();
    final Optional<StageSettings> stage = settings.store().stage();
    if (stage.isPresent()) {
      return StagedStore.find(stage.get(), asked.orElse(Stores.DEFAULT_SERIES), job);
    }
    final Path root = settings.store().directory().toAbsolutePath().normalize();
    if (!isSeries(root, asked.isPresent())) {
      refuseSeries(root, asked);
      try (PosixStore checked = openNodes(root, settings.layout(), settings)) {
        return checked.directory();
      }
    }
    final SeriesDirectory directory = SeriesDirectory.create(root);
    final String node = NodeIdentity.self().name();
    final String series = asked.orElse(Stores.DEFAULT_SERIES);
    directory.make(series);
    if (WaveFiles.areOfThisProcess()) { // before the run of another job is over by ours
      new WaveFiles(root.resolve(series)).take().close();
    }
    final String name = RunName.find();
    final Path data = directory.place(series, 0, node).path().getParent();
    job.take(root.toString(), data, name);
    try (Engine engine = directory.engine(series)) {
      final SeriesRun run =
          SeriesRun.join(engine, name, node, new Incumbent(root.toString(), data, name));
      tellLost(run, directory, series);
      final Path path = directory.place(series, run.begin(), node).path();
      if (Files.exists(path)) {
        throw new CommandException(
            ExitStatus.EXISTS,
            "this node has taken part in run %s of the series already; give each launch a name of its own in %s"
                .formatted(run.name(), RunName.VARIABLE));
      }
      return path;
    }
  }

  /** Warns of commits of earlier runs that the log has no more. */
  static void tellLost(final SeriesRun run, final SeriesStore store, final String series)
      throws IOException {
    try (PartReader parts = store.parts(series)) {
      run.lost(parts).ifPresent(Warnings::warn);
    }
  }

  /**
   * An existing store decides by itself. A new store has series where several nodes can come, and
   * where the user asks for one.
   */
  private static boolean isSeries(final Path root, final boolean asked) throws IOException {
    if (SeriesFormat.isAnyStore(root)) { // another node may make a store at this moment
      return SeriesDirectory.is(root);
    }
    return (root.getParent() == null || Files.isDirectory(root.getParent()))
        && (asked || SeriesFormat.isShared(root));
  }

  private static void refuseSeries(final Path root, final Optional<String> asked)
      throws IOException {
    if (asked.isPresent() && SeriesFormat.isAnyStore(root)) {
      PosixStore.open(root).close(); // the format of the store may be damaged
      throw new CommandException(
          ExitStatus.USAGE,
          "%s was made without --series and has none; leave --series %s out, or give another --store"
              .formatted(root, asked.get()));
    }
  }

  /**
   * Opens a store of one node. Where nobody asks for checkpoints, the store names no node before
   * the first checkpoint.
   */
  private static PosixStore openNodes(
      final Path directory, final Layout layout, final Settings settings) throws IOException {
    return layout.impliesCheckpoints() || settings.session().checkpoints().grouping().isKnown()
        ? PosixStore.create(directory)
        : PosixStore.createUnclaimed(directory);
  }

  static SessionStore of(final Path path, final Layout layout, final Settings settings)
      throws IOException {
    final Optional<StagePlace> stage = StagePlace.of(path);
    if (stage.isPresent()) {
      return StagedStore.of(stage.get(), settings);
    }
    final Optional<SeriesDirectory.Place> place = SeriesDirectory.Place.of(path);
    if (place.isEmpty()) {
      final PosixStore alone = openNodes(path, layout, settings);
      return new SessionStore(alone, Publisher.ofNode(alone));
    }
    final PosixStore store = PosixStore.createPart(path);
    final Engine engine = new SeriesDirectory(place.get().root()).engine(place.get().series());
    final SeriesRun run = SeriesRun.resume(engine, place.get().begin(), place.get().node());
    return new SessionStore(
        store,
        new SeriesPublisher(
            store,
            new SeriesCommits(
                run, engine, store, new SeriesStorage.InDirectory(place.get(), store))));
  }

  /**
   * Takes the store for a job: a store of one node now, a series again if this process resumes it;
   * false where the job is to do without checkpoints.
   */
  boolean take(final OneJob job, final boolean goesOn) throws IOException {
    final Optional<String> run = publisher.run();
    if (run.isEmpty()) {
      return job.take(root(), store.job(), goesOn);
    }
    job.takeAgain(store.directory().getParent(), run.get());
    return true;
  }

  /** Returns the directory that is the store to a user. */
  Path root() {
    return SeriesDirectory.root(store.directory());
  }

  @Override
  public void close() throws IOException {
    publisher.close();
    store.end();
    store.close();
    final Optional<StagePlace> stage = StagePlace.of(store.directory());
    if (stage.isPresent()) {
      stage.get().end();
    }
    final Optional<SeriesDirectory.Place> place = SeriesDirectory.Place.of(store.directory());
    if (place.isPresent()) {
      place.get().end(publisher.lastEntry());
    }
  }
}
