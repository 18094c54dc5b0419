package org.sluice.iop.trigger;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.ImageRelease;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.drain.Work;
import org.sluice.iop.image.Descriptors;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.NotCapturedException;
import org.sluice.iop.measure.Failure;

/**
 * The part that brings idle images to rest, so that there are descriptors for those that are opened
 * next. An opening that finds no descriptor waits while one is going to be free. Service thread
 * only, but for methods that name the last stage.
 */
public final class Resting {
  /** The number of images in a batch, which costs one round through the pipeline. */
  private static final int BATCH = 64;

  /** The descriptors by which an unexplained shortage lowers the bound, for some beats. */
  private static final int SHORTAGE = 16;

  /** The errors after which the file system never links that file, as for a deleted one. */
  private static final Set<Integer> NEVER =
      Set.of(Errno.ENOENT, Errno.EXDEV, Errno.EPERM, Errno.EMLINK, Errno.EOPNOTSUPP);

  private final CapturedFiles files;
  private final Drain drain;
  private final ImageRelease releases;
  private final Descriptors descriptors;
  private final Deque<Step> waiting = new ArrayDeque<>();
  private IntSupplier clients = () -> 0;
  private long shortage;

  /** True if the kernel had no descriptor left since the last beat. */
  private boolean wasShort;

  /** True while waiting steps are not tried again before images came to rest. */
  private boolean paused;

  /** True if storage refused to bring an image to rest, since the last beat. */
  private boolean refused;

  private int underWay;
  private String obstacle = "";

  /** A step that takes a descriptor. */
  private record Step(BooleanSupplier wanted, Runnable action) {}

  Resting(final CapturedFiles files, final Drain drain, final ImageRelease releases) {
    this.files = files;
    this.drain = drain;
    this.releases = releases;
    this.descriptors = files.registry().descriptors();
    bound();
  }

  /**
   * Sets the source of the number of clients, which have descriptors besides images and containers.
   */
  public void count(final IntSupplier connections) {
    clients = connections;
  }

  private void bound() {
    final int others = clients.getAsInt() + drain.openContainers();
    descriptors.bound(Math.max(0, ImageRegistry.mostDescriptors() - others - shortage));
  }

  /** Checks that one more image may have a descriptor. */
  public void checkRoom() throws NotCapturedException {
    files.registry().checkRoom(obstacle);
  }

  /**
   * Runs an action that takes a descriptor: at once if there is one, or if none is going to be
   * free.
   *
   * @param wanted whether the action is still to be run
   * @param action the action; it asks {@link #checkRoom} for a descriptor
   */
  public void whenRoom(final BooleanSupplier wanted, final Runnable action) {
    makeRoom();
    waiting.add(new Step(wanted, action));
    proceed();
  }

  /**
   * Lets images give up descriptors, where they can. Called when the kernel had no descriptor left.
   */
  public void relieve() {
    shortage += SHORTAGE;
    wasShort = true;
    makeRoom();
  }

  /** Tries refused rests again, now and then, as others may have had the descriptors. */
  public void beat() {
    shortage = wasShort ? shortage : shortage / 2;
    wasShort = false;
    refused = false;
    makeRoom();
  }

  /**
   * Repeats an action that failed for want of a descriptor, if images can give some up.
   *
   * @param wanted whether the action is still to be run
   */
  public boolean isRelieved(
      final PosixException failure, final BooleanSupplier wanted, final Runnable action) {
    if (failure.errno() != Errno.EMFILE && failure.errno() != Errno.ENFILE) {
      return false;
    }
    relieve();
    paused = underWay > 0;
    if (paused) {
      waiting.addFirst(new Step(wanted, action));
    }
    return paused;
  }

  /** Runs waiting steps, as far as there are descriptors. */
  public void proceed() {
    while (!waiting.isEmpty() && !paused && (hasRoom() || !isMoreToCome())) {
      final Step next = waiting.poll();
      if (next.wanted().getAsBoolean()) {
        next.action().run();
      }
    }
  }

  private boolean hasRoom() {
    bound();
    return descriptors.count() < descriptors.bound();
  }

  private boolean isMoreToCome() {
    makeRoom();
    return underWay > 0 || releases.areUnderWay();
  }

  /**
   * Brings images to rest early, with an eighth of the descriptors left, so that an opening seldom
   * waits.
   */
  public void makeRoom() {
    bound();
    final long early = descriptors.bound() - Math.clamp(descriptors.bound() / 8, 1, BATCH);
    final long excess = descriptors.count() - underWay - early;
    if (excess > 0 && !refused) {
      final int most = (int) Math.max(excess, Math.min(BATCH, descriptors.bound() / 8));
      final List<Image> images = descriptors.takeIdle(most, this::mayRest);
      if (!images.isEmpty()) {
        images.forEach(image -> image.held().leave());
        underWay += images.size();
        drain.publish(new Rest(images));
      }
    }
  }

  /**
   * Runs a step once the drain has done all its work, and files opened by that are at rest again.
   */
  void afterRest(final Runnable step) {
    drain.continueAfter(
        () -> {
          makeRoom();
          drain.continueAfter(step);
        });
  }

  private boolean mayRest(final Image image) {
    return files.registry().find(image.id()) == image && image.mayRest();
  }

  /** Images on their way to rest. */
  private final class Rest implements Work {
    private final List<Image> images;
    private final List<Image> ready = new ArrayList<>();

    /** The images that keep their descriptors, until they were opened and closed again. */
    private final List<Image> stuck = new ArrayList<>();

    private IOException refusal;

    Rest(final List<Image> images) {
      this.images = images;
    }

    @Override
    public void commit() {
      for (final Image image : images) {
        try {
          image.held().prepare();
          ready.add(image);
        } catch (final IOException e) {
          refusal = e;
          if (NEVER.contains(Failure.of(e).errno())) {
            stuck.add(image);
          }
        }
      }
      drain.service().execute(this::end);
    }

    /**
     * Ends the batch. An image that was used, or could not rest this time, is chosen again later.
     * Service thread.
     */
    private void end() {
      underWay -= images.size();
      paused = false;
      obstacle =
          refusal == null ? "" : ", since closed ones cannot do without: " + refusal.getMessage();
      refused |= ready.size() + stuck.size() < images.size();
      for (final Image image : images) {
        final boolean unused = image.held().left();
        if (mayRest(image) && unused && ready.contains(image)) {
          rest(image);
        } else if (mayRest(image) && !stuck.contains(image)) {
          descriptors.idle(image);
        }
      }
      makeRoom();
      proceed();
    }
  }

  /**
   * Brings an image to rest under its present name, which the kernel tells only while the file is
   * open.
   */
  private void rest(final Image image) {
    final Optional<String> name =
        image.created() == null ? files.capture().find(image) : Optional.of(image.opened());
    files.registry().rest(image, name.orElse(image.name()));
  }
}
