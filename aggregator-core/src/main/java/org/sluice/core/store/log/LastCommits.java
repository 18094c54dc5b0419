package org.sluice.core.store.log;

import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The last commits of a store, removed ones included. The next commit names them as earlier. So an
 * unreadable commit can be known to be older: the order is in manifests alone.
 */
public final class LastCommits {
  /** The most commits remembered, and so named by the next one. */
  private static final int MOST = 16;

  private final NavigableMap<Long, Long> ids = new TreeMap<>();

  public void clear() {
    ids.clear();
  }

  public void add(final long sequence, final long id) {
    ids.put(sequence, id);
    if (ids.size() > MOST) {
      ids.pollFirstEntry();
    }
  }

  public List<Long> ids() {
    return List.copyOf(ids.values());
  }
}
