package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.Commit;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.measure.Warnings;

/**
 * Removes older checkpoints, so that their blocks can be used again. Only those of a series go:
 * checkpoints that all ranks completed in this session, by request or as a group, once enough newer
 * ones follow. What other sessions committed, and what a run commits at its end, may be somebody's
 * only copy and stays. Service thread only, but for what is said to be the last stage's.
 */
final class Retention {
  private final int keep;
  private final CheckpointStore store;
  private final Drain drain;
  private final ImageRegistry registry;
  private final CaptureDirectory capture;
  private final Grouping grouping;
  private final Executor service;
  private final Consumer<Image> forget;
  private final Deque<Kept> series = new ArrayDeque<>();

  /** Last stage. */
  private boolean toldOfKept;

  /** A committed checkpoint and its captured images. */
  private record Kept(Commit commit, Set<Image> images) {}

  /**
   * Nothing kept yet.
   *
   * @param keep how many checkpoints stay, 0 for all
   * @param grouping which files are one checkpoint; null when files are not grouped
   * @param service runs what it is given on the service thread
   * @param forget lets go of an image once the pipeline has
   */
  Retention(
      final int keep,
      final CheckpointStore store,
      final Drain drain,
      final ImageRegistry registry,
      final CaptureDirectory capture,
      final Grouping grouping,
      final Executor service,
      final Consumer<Image> forget) {
    this.keep = keep;
    this.store = store;
    this.drain = drain;
    this.registry = registry;
    this.capture = capture;
    this.grouping = grouping;
    this.service = service;
    this.forget = forget;
  }

  /** Takes over a checkpoint that a former I/O process of this session kept; the oldest first. */
  void resume(final Commit commit, final Set<Image> images) {
    series.addLast(new Kept(commit, images));
  }

  /**
   * Keeps a checkpoint, and lets the oldest go.
   *
   * @param images its captured images
   */
  void committed(final Commit commit, final List<Image> images) {
    if (keep == 0) {
      return;
    }
    series.removeIf(older -> older.commit.number() == commit.number());
    series.forEach(older -> images.forEach(older.images::remove));
    series.addLast(new Kept(commit, new HashSet<>(images)));
    for (final Kept oldest :
        new ArrayList<>(series).subList(0, Math.max(0, series.size() - keep))) {
      series.remove(oldest);
      remove(oldest);
    }
  }

  /**
   * Nothing is touched before it is certain that the checkpoint goes: nobody reads it, and its
   * files have no names that somebody gave them to keep them. Then the names go first, since the
   * files they name do not hold the bytes, unless a program outside Sluice has opened them. When
   * that fails it is tried again after the next commit.
   */
  private void remove(final Kept victim) {
    final List<Image> known =
        victim.images.stream()
            .filter(image -> registry.find(image.id()) != null)
            .filter(image -> image.state() == ImageDescriptor.STATE_COMMITTED)
            .toList();
    final AtomicBoolean stays = new AtomicBoolean();
    drain.publish(
        new RemoveWork(
            store,
            victim.commit,
            () -> {
              final Optional<Path> kept = unlink(known, victim.commit.number());
              kept.ifPresent(name -> tellOfKept(victim.commit.number(), name));
              stays.set(kept.isPresent());
              return kept.isEmpty();
            },
            removed -> service.execute(() -> end(victim, known, removed, stays.get()))));
  }

  /** Once: a program may give each of its files another name. */
  private void tellOfKept(final long number, final Path name) {
    if (!toldOfKept) {
      toldOfKept = true;
      Warnings.warn(
          "checkpoint %d stays, since it has the bytes of %s, and so do all with such a file"
              .formatted(number, name));
    }
  }

  /**
   * Takes all names from a checkpoint's files, or none: returns one that is none of the
   * checkpoint's. A program may rename them at the same time, so whoever has one still is looked
   * for again. Last stage.
   */
  private Optional<Path> unlink(final List<Image> images, final long number) throws IOException {
    while (true) {
      final Map<ImageKey, List<Path>> all = images.isEmpty() ? Map.of() : capture.names();
      final Map<Path, ImageKey> names = new LinkedHashMap<>();
      for (final Image image : images) {
        all.getOrDefault(image.key(), List.of()).forEach(name -> names.put(name, image.key()));
      }
      final Optional<Path> kept =
          names.keySet().stream()
              .filter(name -> capture.relative(name).filter(path -> isOf(path, number)).isEmpty())
              .findFirst();
      if (kept.isPresent() || names.isEmpty()) {
        return kept;
      }
      for (final Map.Entry<Path, ImageKey> name : names.entrySet()) {
        CaptureDirectory.unlink(name.getValue(), name.getKey());
      }
    }
  }

  private boolean isOf(final String path, final long number) {
    return grouping.number(path).stream().anyMatch(named -> named == number);
  }

  /** One that somebody reads is tried again after the next commit. */
  private void end(
      final Kept victim, final List<Image> known, final boolean removed, final boolean stays) {
    if (removed) {
      known.forEach(drain::release);
      known.forEach(forget);
      drain.tidy();
    } else if (!stays) {
      series.addFirst(victim);
    }
  }
}
