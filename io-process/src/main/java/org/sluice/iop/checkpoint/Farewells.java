package org.sluice.iop.checkpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.sluice.iop.image.Image;

/** Lets go of images that nobody has open and nobody needs any more. Service thread only. */
public final class Farewells {
  private final Context context;
  private final List<Consumer<Image>> listeners = new ArrayList<>();

  Farewells(final Context context) {
    this.context = context;
  }

  /** Tells of each image that goes, before its file is closed. */
  void tell(final Consumer<Image> listener) {
    listeners.add(listener);
  }

  /**
   * Lets go of an image when the pipeline has, unless a process opened it meanwhile.
   *
   * @param image a closed image
   */
  public void bid(final Image image) {
    image.farewell();
    context.afterwards(() -> end(image));
  }

  private void end(final Image image) {
    if (image.isUnused()) {
      listeners.forEach(listener -> listener.accept(image));
      context.drain().release(image);
      context.registry().forget(image);
    }
  }
}
