package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.NoObjectException;

/**
 * What processes do with the engines that they have on one directory, some of which are killed.
 * Knows at every position of the disk's log which objects there have to be, and what they may be.
 */
final class EngineLife {
  private static final List<String> FOLDERS = List.of("log/", "part/1-a/", "part/2-b/");
  private static final int NAMES = 2;
  private static final int MOST_BYTES = 3000;
  private static final int LONGEST_LIFE = 20;

  private final LoggedDisk disk;
  private final Path directory;
  private final Random random;
  private final List<Stored> all = new ArrayList<>();
  private final List<Deleted> deleted = new ArrayList<>();

  /** An object that somebody began to store, and where the log was when that returned. */
  private record Stored(String key, byte[] bytes, int begun, int returned) {}

  private record Deleted(String key, int begun) {}

  EngineLife(final LoggedDisk disk, final Random random) {
    this.disk = disk;
    this.directory = disk.directory();
    this.random = random;
  }

  /** A process that lives until it is killed, or done. */
  void live(final int deeds) throws IOException {
    final DirectoryEngine engine = new DirectoryEngine(directory, disk);
    disk.stopAt(disk.position() + random.nextInt(LONGEST_LIFE));
    try {
      for (int i = 0; i < deeds; i++) {
        act(engine);
      }
    } catch (final LoggedDisk.Stopped killed) {
      // the next one goes on
    }
    disk.endProcess();
  }

  private void act(final DirectoryEngine engine) throws IOException {
    final String key = FOLDERS.get(random.nextInt(FOLDERS.size())) + random.nextInt(NAMES);
    if (key.startsWith("log/")) {
      create(engine, key);
    } else if (random.nextInt(3) > 0) {
      put(engine, key);
    } else {
      deleted.add(new Deleted(key, disk.position()));
      engine.delete(key);
    }
  }

  private void put(final DirectoryEngine engine, final String key) throws IOException {
    final byte[] bytes = bytes(new Random(key.hashCode()));
    final int begun = begin(key, bytes);
    final int half = bytes.length / 2;
    engine.put(
        key,
        List.of(
            ByteBuffer.wrap(bytes, 0, half), ByteBuffer.wrap(bytes, half, bytes.length - half)));
    all.add(new Stored(key, bytes, begun, disk.position()));
  }

  /** Whoever stored it: it is there for good. */
  private void create(final DirectoryEngine engine, final String key) throws IOException {
    final byte[] bytes = bytes(random);
    final int begun = begin(key, bytes);
    final boolean created = engine.putIfAbsent(key, bytes);
    final byte[] there = engine.getAll(key, MOST_BYTES);
    if (created != Arrays.equals(there, bytes)) {
      throw new AssertionError("%s was%s created".formatted(key, created ? "" : " not"));
    }
    all.add(new Stored(key, there, begun, disk.position()));
  }

  private int begin(final String key, final byte[] bytes) {
    all.add(new Stored(key, bytes, disk.position(), Integer.MAX_VALUE));
    return disk.position();
  }

  private static byte[] bytes(final Random random) {
    final byte[] bytes = new byte[1 + random.nextInt(MOST_BYTES)];
    random.nextBytes(bytes);
    return bytes;
  }

  /**
   * What is wrong with what a power cut left.
   *
   * @param left the engine's directory
   * @param cut the position at which the power failed
   */
  List<String> faults(final Path left, final int cut) throws IOException {
    final List<String> faults = new ArrayList<>();
    final DirectoryEngine engine = DirectoryEngine.of(left);
    for (final String folder : FOLDERS) {
      for (int name = 0; name < NAMES; name++) {
        look(engine, folder + name, cut, faults);
      }
      engine.list(folder).stream()
          .filter(key -> begunBy(key, cut).isEmpty())
          .forEach(key -> faults.add(key + " is listed"));
    }
    return faults;
  }

  private void look(
      final DirectoryEngine engine, final String key, final int cut, final List<String> faults)
      throws IOException {
    try {
      final byte[] bytes = engine.getAll(key, 2 * MOST_BYTES);
      if (begunBy(key, cut).stream().noneMatch(one -> Arrays.equals(one.bytes, bytes))) {
        faults.add("%s has other bytes".formatted(key));
      }
      if (required(key, cut).stream().anyMatch(one -> !Arrays.equals(one.bytes, bytes))) {
        faults.add("%s has the bytes of another process".formatted(key));
      }
    } catch (final NoObjectException e) {
      if (!required(key, cut).isEmpty()) {
        faults.add(key + " is lost");
      }
    }
  }

  private List<Stored> begunBy(final String key, final int cut) {
    return all.stream().filter(one -> one.key.equals(key) && one.begun < cut).toList();
  }

  private List<Stored> required(final String key, final int cut) {
    return all.stream()
        .filter(one -> one.key.equals(key) && one.returned <= cut)
        .filter(one -> deleted.stream().noneMatch(gone -> takes(gone, one, cut)))
        .toList();
  }

  private static boolean takes(final Deleted gone, final Stored one, final int cut) {
    return gone.key.equals(one.key) && one.begun <= gone.begun && gone.begun < cut;
  }
}
