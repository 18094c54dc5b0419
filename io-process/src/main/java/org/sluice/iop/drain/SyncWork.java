package org.sluice.iop.drain;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.sluice.core.store.disk.Container;
import org.sluice.core.store.disk.WritesInFlight;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Timed;

/** The work that brings the drained bytes of an image to stable storage. */
class SyncWork extends ImageWork {
  private final DrainContext context;
  private final LongConsumer durable;

  /** True if the file may be synchronised before the last stage comes to the earlier requests. */
  private final boolean early;

  private List<Container> containers = List.of();

  /**
   * The failure of the begun sync, once it is over; null when it is not begun before the last
   * stage.
   */
  private CompletableFuture<IOException> begun;

  /**
   * A file that was let go is first taken back by the last stage. Service thread.
   *
   * @param durable receiver of the time when that is done, also when the image failed
   */
  SyncWork(final DrainContext context, final Image image, final LongConsumer durable) {
    super(image, Kind.SYNC);
    this.context = context;
    this.durable = durable;
    this.early = !image.isLetGo();
  }

  @Override
  public boolean overtakes() {
    return true;
  }

  @Override
  public boolean joins() {
    return true;
  }

  @Override
  public void write() throws IOException {
    containers = context.containers().of(image);
    if (early) {
      context.sink().sync(this);
    }
  }

  /** Begins the sync, so that it goes on beside others. Write stage, after the image's chunks. */
  void begin(final WritesInFlight flight) {
    begun = flight.begin(this::sync);
  }

  /** Lets the kernel write the image's own file, and does not wait. Write stage. */
  void startWriting() throws IOException {
    image.file().startSync();
  }

  /** Returns whether the sync goes on beside others. Last stage. */
  boolean hasBegun() {
    return begun != null;
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
