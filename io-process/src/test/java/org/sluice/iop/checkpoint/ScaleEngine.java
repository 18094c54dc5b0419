package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.sluice.core.store.objects.Engine;
import org.sluice.core.store.objects.NoObjectException;

/**
 * Storage that serves requests one after the other, each a moment after it was sent, and counts
 * them. A list costs one for each thousand names.
 */
final class ScaleEngine implements Engine {
  private static final int PAGE = 1000;

  private final Server server;
  private final boolean shows;
  private final Set<String> durable = new HashSet<>();
  private long requests;

  /** What all nodes share. */
  static final class Server {
    private final VirtualTime time;
    private final long way;
    private final long work;
    private final SortedMap<String, byte[]> objects = new TreeMap<>();
    private final Set<String> marked = new HashSet<>();
    private long free;

    Server(final VirtualTime time, final Storage storage) {
      this.time = time;
      this.way = storage.way();
      this.work = storage.work();
    }
  }

  /**
   * Storage of some kind.
   *
   * @param way how long a request takes there, and an answer back, in nanoseconds
   * @param work how long the server is busy with one
   * @param shows whether it shows what is not durable yet, as directories do
   */
  record Storage(String name, long way, long work, boolean shows) {}

  ScaleEngine(final Server server, final Storage storage) {
    this.server = server;
    this.shows = storage.shows();
  }

  /** How many there were. */
  long requests() {
    return requests;
  }

  private void send(final int cost) {
    requests += cost;
    final long arrival = server.time.now() + server.way;
    server.time.sleepUntil(arrival);
    server.free = Math.max(server.free, arrival) + cost * server.work;
    server.time.sleepUntil(server.free);
  }

  private void answer() {
    server.time.sleepUntil(server.time.now() + server.way);
  }

  @Override
  public void put(final String key, final List<ByteBuffer> pieces) {
    create(key, new byte[0]);
  }

  private boolean create(final String key, final byte[] bytes) {
    send(1);
    final boolean absent = server.objects.putIfAbsent(key, bytes) == null;
    answer();
    return absent;
  }

  @Override
  public boolean putIfAbsent(final String key, final byte[] bytes) {
    final boolean absent = create(key, bytes);
    if (shows && absent) {
      sync();
      send(1);
      server.marked.add(key);
      answer();
    }
    return absent;
  }

  private void sync() {
    send(1);
    answer();
  }

  /** As to read all of an object, which stays where it is; null for none. */
  byte[] look(final String key) {
    send(1);
    final byte[] bytes = find(key);
    answer();
    return bytes;
  }

  @Override
  public void get(final String key, final long offset, final ByteBuffer into) throws IOException {
    send(1);
    final byte[] bytes = find(key);
    answer();
    if (bytes == null) {
      throw new NoObjectException(this, key);
    }
    final int from = (int) Math.min(offset, bytes.length);
    into.put(bytes, from, Math.min(into.remaining(), bytes.length - from));
  }

  private byte[] find(final String key) {
    if (server.marked.contains(key)) {
      durable.add(key);
    }
    return server.objects.get(key);
  }

  @Override
  public List<String> list(final String prefix) {
    final String end = prefix.substring(0, prefix.length() - 1) + '0'; // follows the slash
    send(1 + server.objects.subMap(prefix, end).size() / PAGE);
    final List<String> keys = List.copyOf(server.objects.subMap(prefix, end).keySet());
    answer();
    return keys;
  }

  @Override
  public void delete(final String key) {
    throw new UnsupportedOperationException(key);
  }

  @Override
  public void makeDurable(final Collection<String> keys) {
    if (shows && !durable.containsAll(keys)) {
      sync();
    }
  }

  @Override
  public String toString() {
    return "scale";
  }

  @Override
  public void close() {}
}
