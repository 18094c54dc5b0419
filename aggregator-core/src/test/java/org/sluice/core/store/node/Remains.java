package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.directory.ChangeCount;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;

/** What a power cut left of a store, as a restart finds it, and the next process behind it. */
public final class Remains {
  private final Path directory;
  private final List<String> faults = new ArrayList<>();
  private List<Commit> commits = List.of();

  /**
   * Looks at a store, as a restart does.
   *
   * @param directory the store's; nothing is committed unless it is one
   */
  public Remains(final Path directory) {
    this.directory = directory;
    if (Files.exists(directory.resolve("format"))) {
      try (PosixStore store = PosixStore.open(directory)) {
        commits = store.commits(e -> faults.add(e.getMessage()));
        store.verifyStore(this::damage);
      } catch (final IOException e) {
        faults.add(e.toString());
      }
    }
  }

  /** Of a checkpoint in the making, or that goes, any of the names may be left. */
  private void damage(final IOException found) {
    if (!found.getMessage().contains("counts no more")) {
      faults.add(found.getMessage());
    }
  }

  /** What is committed, the one committed first first. */
  public List<Commit> commits() {
    return commits;
  }

  /** The bytes of each image, by its path; those that cannot be rebuilt are faults. */
  public Map<String, ByteBuffer> images(final Commit commit) {
    final Map<String, ByteBuffer> images = new TreeMap<>();
    try (PosixStore store = PosixStore.open(directory)) {
      final Path target = directory.resolveSibling("rebuilt");
      for (final CommittedImage image : store.images(commit)) {
        try (NativeFile file = NativeFile.open(target, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE)) {
          store.rebuild(commit, image, file);
        }
        images.put(image.path(), ByteBuffer.wrap(Files.readAllBytes(target)));
      }
      Files.deleteIfExists(target);
    } catch (final IOException e) {
      faults.add(e.getMessage());
    }
    return images;
  }

  /** Cleans up, as the next process does, which may leave nothing but what is committed. */
  public void cleanUp() {
    try (PosixStore next = PosixStore.create(directory)) {
      next.collectGarbage(false, unreadable -> {});
      if (!next.commits().equals(commits)) {
        faults.add("cleaning up changed what is committed");
      }
      final Set<String> expected = needed(next);
      final Set<String> there = files();
      if (!there.equals(expected)) {
        faults.add("%s, not %s".formatted(there, expected));
      }
    } catch (final IOException e) {
      faults.add(e.toString());
    }
  }

  private static Set<String> needed(final PosixStore store) throws IOException {
    final Set<String> needed = new TreeSet<>(Set.of("format", "node"));
    for (final Commit commit : store.commits()) {
      final String path = "checkpoints/%010d-%016x/".formatted(commit.number(), commit.id());
      needed.addAll(List.of(path + "index", path + "manifest.json"));
      store.images(commit).stream()
          .filter(image -> !image.blocks().isEmpty())
          .forEach(image -> needed.add(path + "images/" + image.ordinal()));
      commit
          .content()
          .containers()
          .forEach(id -> needed.add("containers/%016x.data".formatted(id)));
    }
    return needed;
  }

  private Set<String> files() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> directory.relativize(file).toString())
          .filter(name -> !name.startsWith("format.") && !name.startsWith("node."))
          .filter(name -> !Set.of("left-as-files", ChangeCount.NAME).contains(name))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** Says that something is wrong. */
  public void fault(final String what) {
    faults.add(what);
  }

  /** What is wrong. */
  public List<String> faults() {
    return faults;
  }
}
