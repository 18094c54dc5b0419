package org.sluice.iop.trigger;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.sluice.core.request.Reply;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;

/** The files of committed images, whose bytes may be in a container alone. Thread-safe. */
final class CommittedFiles {
  private final Executor service;
  private final ImageRegistry registry;
  private final Replacements replacements;

  CommittedFiles(
      final Executor service, final ImageRegistry registry, final Replacements replacements) {
    this.service = service;
    this.registry = registry;
    this.replacements = replacements;
  }

  /**
   * Has files hold all that a program reads of them, as if one opened them.
   *
   * @param paths paths of any files
   * @param then told, by any thread, whether a file was a committed image
   */
  void makeWhole(final List<String> paths, final Consumer<Boolean> then) {
    service.execute(() -> replace(paths, then));
  }

  private void replace(final List<String> paths, final Consumer<Boolean> then) {
    final Map<String, Image> committed = new LinkedHashMap<>();
    for (final String path : paths) {
      registry
          .at(path)
          .filter(image -> image.state() == ImageDescriptor.STATE_COMMITTED)
          .ifPresent(image -> committed.put(path, image));
    }
    if (committed.isEmpty()) {
      then.accept(false);
      return;
    }
    final AtomicInteger left = new AtomicInteger(committed.size());
    committed.forEach(
        (path, image) ->
            replacements.replace(
                image,
                path,
                false,
                reply -> {
                  if (left.decrementAndGet() == 0) {
                    then.accept(true);
                  }
                },
                new Reply.Done()));
  }
}
