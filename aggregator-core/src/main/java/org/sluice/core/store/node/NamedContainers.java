package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.store.directory.StoreDirectory;

/**
 * The containers of a store that the known manifests name, and the files that are there besides.
 * The files are listed again when another process has made or deleted one. Under the store's lock
 * only.
 */
final class NamedContainers {
  private final StoreDirectory store;

  /** The number of manifests that name a container. */
  private final Map<Long, Integer> manifests = new HashMap<>();

  private final Set<Path> unnamed = new LinkedHashSet<>();

  /** The status of their directory when the lock was given back; null when that does not count. */
  private FileStatus seen;

  NamedContainers(final StoreDirectory store) {
    this.store = store;
  }

  /** The files that no manifest names. */
  Set<Path> unnamed() {
    return unnamed;
  }

  /** The files that no manifest names but those of some commits. */
  Set<Path> unnamedBut(final List<Catalogue.Known> gone) {
    final Map<Long, Integer> goners = new HashMap<>();
    final Set<Path> besides = new LinkedHashSet<>(unnamed);
    for (final Catalogue.Known commit : gone) {
      for (final Long id : commit.containers()) {
        if (goners.merge(id, 1, Integer::sum).equals(manifests.get(id))) {
          besides.add(store.container(id));
        }
      }
    }
    return besides;
  }

  void made(final Path container) {
    unnamed.add(container);
  }

  void gone(final Path container) {
    unnamed.remove(container);
  }

  /** A manifest names them. */
  void name(final List<Long> containers) {
    for (final long id : containers) {
      manifests.merge(id, 1, Integer::sum);
      unnamed.remove(store.container(id));
    }
  }

  void unname(final List<Long> containers) {
    for (final long id : containers) {
      if (manifests.merge(id, -1, Integer::sum) == 0) {
        manifests.remove(id);
        unnamed.add(store.container(id));
      }
    }
  }

  void clear() {
    manifests.clear();
    seen = null;
  }

  /** Lists the files, unless nobody else has changed them. */
  void update() throws IOException {
    if (seen == null || !seen.equals(status())) {
      final Set<Path> named = new HashSet<>();
      manifests.keySet().forEach(id -> named.add(store.container(id)));
      unnamed.clear();
      unnamed.addAll(store.containerFiles());
      unnamed.removeAll(named);
    }
    seen = null;
  }

  /** Remembers what this process has left. */
  void end() throws IOException {
    seen = status();
  }

  private FileStatus status() throws IOException {
    return FileStatus.of(store.containers().toString());
  }
}
