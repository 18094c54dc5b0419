package org.sluice.core.store.node;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sluice.core.store.node.DiskChange.Node;
import org.sluice.core.store.node.DiskChange.Resize;
import org.sluice.core.store.node.DiskChange.Write;

/** What happened to a {@link LoggedDisk}, in order, and which of the nodes that share it did so. */
public final class DiskLog {
  private final List<DiskChange> changes = new ArrayList<>();
  private final List<Integer> makers = new ArrayList<>();
  private int maker;

  /** What follows is done by a node; node 0 unless told. */
  void maker(final int node) {
    maker = node;
  }

  int maker() {
    return maker;
  }

  void add(final DiskChange change) {
    changes.add(change);
    makers.add(maker);
  }

  public List<DiskChange> all() {
    return changes;
  }

  int size() {
    return changes.size();
  }

  DiskChange at(final int position) {
    return changes.get(position);
  }

  int makerAt(final int position) {
    return makers.get(position);
  }

  /** What was done before a position of each node's. */
  List<DiskChange> before(final int... positions) {
    final List<DiskChange> before = new ArrayList<>();
    for (int i = 0; i < changes.size(); i++) {
      if (i < positions[makers.get(i)]) {
        before.add(changes.get(i));
      }
    }
    return before;
  }

  /** What a file holds by now. */
  byte[] content(final Node node) {
    byte[] content = {};
    for (final DiskChange change : changes) {
      if (change.node() == node && change instanceof final Write write) {
        final int end = (int) write.offset() + write.bytes().length;
        content = Arrays.copyOf(content, Math.max(content.length, end));
        System.arraycopy(write.bytes(), 0, content, (int) write.offset(), write.bytes().length);
      } else if (change.node() == node && change instanceof final Resize resize) {
        content = Arrays.copyOf(content, (int) resize.size());
      }
    }
    return content;
  }
}
