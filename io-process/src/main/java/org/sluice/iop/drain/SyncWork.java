package org.sluice.iop.drain;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.disk.WritesInFlight;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Timed;

/** Brings what was drained of an image to stable storage. */
final class SyncWork extends ImageWork {
  private final DrainContext context;
  private final LongConsumer durable;

  /** Whether the file may be synchronised before the last stage comes to what was asked before. */
  private final boolean early;

  private List<Container> containers = List.of();

  /** How it failed, once it is over; null when it is not begun before the last stage. */
  private CompletableFuture<IOException> begun;

  /**
   * Brings an image to stable storage. Where the file is let go of the last stage takes it back
   * first. Service thread.
   *
   * @param durable takes the time when that is done, also when the image failed
   */
  SyncWork(final DrainContext context, final Image image, final LongConsumer durable) {
    super(image, Kind.SYNC);
    this.context = context;
    this.durable = durable;
    this.early = !image.isLetGo();
  }

  @Override
  public boolean joins() {
    return true;
  }

  @Override
  public void write() {
    containers = context.containers().of(image);
    if (early) {
      context.sink().sync(this);
    }
  }

  /** Begins it, so that it goes on beside others. Write stage, behind the image's chunks. */
  void begin(final WritesInFlight flight) {
    begun = flight.begin(this::sync);
  }

  private void sync() throws IOException {
    final long began = System.nanoTime();
    for (final Container container : containers) {
      container.sync();
    }
    image.file().sync();
    context.statistics().took(Timed.SYNC, began);
  }

  @Override
  public void commit() throws IOException {
    if (begun == null) {
      sync();
    } else {
      WritesInFlight.await(begun);
    }
    durable.accept(System.nanoTime());
  }

  @Override
  public void fail(final IOException failure) {
    image.fail(failure);
    context.containers().failLost(failure);
    durable.accept(System.nanoTime());
  }
}
