package org.sluice.core.store.series;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.NoObjectException;

/**
 * Storage that keeps what an engine promises, and nothing beyond: a request may be done and its
 * answer lost, be repeated by the client, fail without effect, or take effect later; a list may be
 * of a while ago.
 */
final class SimulatedEngine implements Engine {
  private static final double MISHAPS = .1;
  private static final int OLDEST_LIST = 8;

  private final World world;
  private final Interleaving.Process process;

  /** What all nodes share. */
  static final class World {
    final SortedMap<String, byte[]> objects = new TreeMap<>();
    private final List<List<String>> lists = new ArrayList<>();
    private final List<Runnable> late = new ArrayList<>();
    private final Random random;
    private final boolean conditional;
    private int changes;

    World(final Random random, final boolean conditional) {
      this.random = random;
      this.conditional = conditional;
      lists.add(List.of());
    }

    /** Lets what is under way take effect, perhaps. */
    void arrive() {
      late.removeIf(
          request -> {
            final boolean arrives = random.nextInt(8) == 0;
            if (arrives) {
              request.run();
            }
            return arrives;
          });
    }

    /** How often an object was put or deleted. */
    int changes() {
      return changes;
    }

    private void changed() {
      changes++;
      lists.add(List.copyOf(objects.keySet()));
      if (lists.size() > OLDEST_LIST) {
        lists.removeFirst();
      }
    }

    private void put(final String key, final byte[] bytes) {
      objects.put(key, bytes);
      changed();
    }

    private boolean putIfAbsent(final String key, final byte[] bytes) {
      final boolean absent = !conditional || !objects.containsKey(key);
      if (absent) {
        put(key, bytes);
      }
      return absent;
    }
  }

  SimulatedEngine(final World world, final Interleaving.Process process) {
    this.world = world;
    this.process = process;
  }

  /** A request, to which anything may happen that is not excluded. */
  private void request(final Runnable effect) throws IOException {
    process.step();
    if (world.random.nextDouble() >= MISHAPS) {
      effect.run();
      return;
    }
    switch (world.random.nextInt(4)) {
      case 0 -> { // the client repeats it
        effect.run();
        process.step();
        effect.run();
      }
      case 1 -> {
        effect.run();
        throw new IOException("the answer is lost");
      }
      case 2 -> throw new IOException("the request is lost");
      default -> {
        world.late.add(effect);
        throw new IOException("the request is late");
      }
    }
  }

  @Override
  public void put(final String key, final List<ByteBuffer> pieces) throws IOException {
    final byte[] bytes = new byte[pieces.getFirst().remaining()];
    pieces.getFirst().duplicate().get(bytes);
    request(() -> world.put(key, bytes));
  }

  @Override
  public boolean putIfAbsent(final String key, final byte[] bytes) throws IOException {
    final boolean[] answer = new boolean[1];
    request(() -> answer[0] = world.putIfAbsent(key, bytes));
    return answer[0];
  }

  @Override
  public void get(final String key, final long offset, final ByteBuffer into) throws IOException {
    process.step();
    final byte[] bytes = world.objects.get(key);
    if (bytes == null) {
      throw new NoObjectException(this, key);
    }
    into.put(bytes, (int) offset, Math.min(into.remaining(), bytes.length - (int) offset));
  }

  @Override
  public List<String> list(final String prefix) {
    process.step();
    final List<String> list = world.lists.get(world.random.nextInt(world.lists.size()));
    return list.stream().filter(key -> key.startsWith(prefix)).toList();
  }

  @Override
  public void delete(final String key) throws IOException {
    request(
        () -> {
          world.objects.remove(key);
          world.changed();
        });
  }

  @Override
  public String toString() {
    return "world";
  }

  @Override
  public void close() {}
}
