package org.sluice.iop.checkpoint;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageRegistry;

/** Lets go of images that nobody has open and nobody needs any more. Service thread only. */
public final class ImageRelease {
  private final CheckpointState state;
  private final ImageRegistry registry;
  private final Drain drain;

  /** The reasons why images lack bytes that could not be stored, of those that were let go of. */
  private final Map<ImageKey, Exception> losses = new LinkedHashMap<>();

  /** The images that nobody else needs than a commit that waits for other nodes. */
  private final Set<Image> committing = new HashSet<>();

  private int underWay;

  public ImageRelease(
      final CheckpointState state, final ImageRegistry registry, final Drain drain) {
    this.state = state;
    this.registry = registry;
    this.drain = drain;
  }

  /** Lets go of an image when the pipeline has, unless a process opened it meanwhile. */
  public void release(final Image image) {
    image.farewell();
    underWay++;
    drain.continueAfter(() -> end(image));
  }

  private void end(final Image image) {
    underWay--;
    if (!image.isUnused() || state.isAwaited(image)) {
      return;
    }
    if (state.isCommitting(image)) { // decided since the pipeline was asked
      committing.add(image);
    } else {
      note(image);
      state.forget(image);
      drain.release(image);
      registry.forget(image);
    }
  }

  /** A commit is over: lets go of those images that only it had a need for. */
  void committed(final List<Image> images) {
    images.stream().filter(committing::remove).forEach(this::release);
  }

  /** Returns whether an image may be let go of soon. */
  public boolean areUnderWay() {
    return underWay > 0;
  }

  private void note(final Image image) {
    image.failure().ifPresent(failure -> losses.putIfAbsent(image.key(), failure));
  }

  /** The file was emptied, or is another one with the number of one that is gone. */
  public void rewritten(final Image image) {
    losses.remove(image.key());
  }

  /**
   * Returns why images lack bytes that could not be stored, at the end; to be changed by the
   * caller.
   */
  public Map<ImageKey, Exception> losses() {
    registry.all().forEach(this::note);
    return losses;
  }
}
