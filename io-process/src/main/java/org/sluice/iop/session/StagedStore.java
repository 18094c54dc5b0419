package org.sluice.iop.session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.parts.SeriesObjects;
import org.sluice.core.store.series.SeriesRun;
import org.sluice.core.store.stage.StagePlace;
import org.sluice.iop.publish.Bucket;
import org.sluice.iop.publish.BucketPublisher;
import org.sluice.iop.publish.BucketUploader;
import org.sluice.iop.publish.StageSettings;
import org.sluice.iop.wave.WaveFiles;

/**
 * The store of a session whose series is in a bucket: it lies on the stage, and is copied from
 * there.
 */
final class StagedStore {
  private StagedStore() {}

  /** Finds the store of a session that begins, and joins the run, see {@link SessionStore}. */
  static Path find(final StageSettings stage, final String series, final OneJob job)
      throws IOException {
    final String node = NodeIdentity.self().name();
    if (WaveFiles.areOfThisProcess()) { // before the run of another job is over by ours
      new WaveFiles(StagePlace.series(stage.directory(), stage.uri(), series)).take().close();
    }
    try (SeriesObjects objects = SeriesObjects.create(stage.uri())) {
      final StagePlace any = StagePlace.make(stage.directory(), stage.uri(), series, 0, node);
      final String name = RunName.find();
      final Path data = any.path().getParent();
      job.take(stage.uri(), data, name);
      final SeriesRun run =
          SeriesRun.join(
              objects.engine(series), name, node, new Incumbent(stage.uri(), data, name));
      SessionStore.tellLost(run, objects, series);
      final StagePlace place = any.of(run.begin());
      if (Files.exists(place.path())) {
        throw new CommandException(
            ExitStatus.EXISTS,
            "this node has taken part in run %s of the series already; give each launch a name of its own in %s"
                .formatted(run.name(), RunName.VARIABLE));
      }
      return place.path();
    }
  }

  static SessionStore of(final StagePlace place, final Settings settings) throws IOException {
    final PosixStore store = PosixStore.createPart(place.path());
    final StageSettings how =
        settings
            .store()
            .stage()
            .filter(given -> given.uri().equals(place.uri()))
            .orElseGet(() -> StageSettings.of(place.root(), place.uri()));
    final Bucket bucket =
        new Bucket(
            SeriesObjects.open(place.uri()), place, store, settings.session().checkpoints().keep());
    return new SessionStore(store, new BucketPublisher(store, new BucketUploader(bucket, how)));
  }
}
