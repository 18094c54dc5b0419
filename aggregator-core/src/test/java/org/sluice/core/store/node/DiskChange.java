package org.sluice.core.store.node;

import java.util.Map;

/** What can happen to a file or a directory of a {@link LoggedDisk}. */
public sealed interface DiskChange {
  /** What it happens to. */
  Node node();

  /** A file or a directory, whatever its names. */
  final class Node {
    private final int id;
    private final boolean directory;

    Node(final int id, final boolean directory) {
      this.id = id;
      this.directory = directory;
    }

    int id() {
      return id;
    }

    boolean directory() {
      return directory;
    }
  }

  record Write(Node node, long offset, byte[] bytes) implements DiskChange {}

  record Resize(Node node, long size) implements DiskChange {}

  /** One step of a directory: by name what it stands for from here on, null for nothing. */
  record Names(Node node, Map<String, Node> entries) implements DiskChange {}

  record Mode(Node node, int mode) implements DiskChange {}

  record Sync(Node node) implements DiskChange {}
}
