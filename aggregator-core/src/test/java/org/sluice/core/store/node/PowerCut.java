package org.sluice.core.store.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.store.node.DiskChange.Mode;
import org.sluice.core.store.node.DiskChange.Names;
import org.sluice.core.store.node.DiskChange.Node;
import org.sluice.core.store.node.DiskChange.Resize;
import org.sluice.core.store.node.DiskChange.Sync;
import org.sluice.core.store.node.DiskChange.Write;

/**
 * One of the states in which storage may be after the power failed. What was done to a file or a
 * directory before its last completed sync is there. Of what was done later any part may be, in any
 * order: each sector as after any of the writes to it, each name as after any of its changes, a
 * rename as a whole; a file may have any of the sizes it had, and where no sector reached it, zeros
 * or what stood on the disk before.
 */
public final class PowerCut {
  private static final int SECTOR = 512;

  private final List<DiskChange> changes;
  private final Node root;
  private final long seed;
  private final double luck;
  private final Map<Node, Integer> synced = new HashMap<>();
  private final Map<Node, List<Integer>> changesOf = new HashMap<>();
  private final Map<Node, Map<String, Node>> entries = new HashMap<>();

  /**
   * Cuts the power.
   *
   * @param position changes before it were made
   */
  public PowerCut(final LoggedDisk disk, final int position, final Random random) {
    this(disk, new int[] {position}, random);
  }

  /** The same of nodes that share the disk, at a position of each. */
  PowerCut(final LoggedDisk disk, final int[] positions, final Random random) {
    this.changes = disk.log().before(positions);
    this.root = disk.root();
    this.seed = random.nextLong();
    this.luck = new double[] {0, 0.1, 0.5, 0.9, 1}[random.nextInt(5)];
    for (int i = 0; i < changes.size(); i++) {
      final Node node = changes.get(i).node();
      changesOf.computeIfAbsent(node, any -> new ArrayList<>()).add(i);
      if (changes.get(i) instanceof Sync) {
        synced.put(node, i);
      }
    }
    names(random);
  }

  /**
   * Positions for cuts that see as much as so many can: one somewhere in each of as many equal
   * parts, in any order.
   *
   * @param first the first position
   * @param last the last one
   */
  public static List<Integer> spread(
      final int first, final int last, final int cuts, final Random random) {
    final int count = Math.min(cuts, last - first + 1);
    final double part = (last - first + 1) / (double) count;
    final List<Integer> positions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      positions.add(first + (int) ((i + random.nextDouble()) * part));
    }
    Collections.shuffle(positions, random);
    return positions;
  }

  private void names(final Random random) {
    final Map<Node, Set<String>> stuck = new HashMap<>();
    for (int i = 0; i < changes.size(); i++) {
      if (changes.get(i) instanceof final Names names) {
        final Map<String, Node> step = names.entries();
        final Set<String> blocked = stuck.computeIfAbsent(names.node(), any -> new HashSet<>());
        if (!arrives(i, random) || step.keySet().stream().anyMatch(blocked::contains)) {
          blocked.addAll(step.keySet());
        } else {
          entries.computeIfAbsent(names.node(), any -> new HashMap<>()).putAll(step);
        }
      }
    }
  }

  private boolean arrives(final int position, final Random random) {
    return isSafe(position) || random.nextDouble() < luck;
  }

  private boolean isSafe(final int position) {
    return position < synced.getOrDefault(changes.get(position).node(), -1);
  }

  /** Writes what is left to a directory; all of it is old by the time somebody looks. */
  public void leave(final Path directory) throws IOException {
    leave(root, directory);
  }

  private void leave(final Node node, final Path path) throws IOException {
    Files.createDirectories(path);
    for (final Map.Entry<String, Node> entry : entries.getOrDefault(node, Map.of()).entrySet()) {
      final Path below = path.resolve(entry.getKey());
      final Node named = entry.getValue();
      if (named != null && named.directory()) {
        leave(named, below);
      } else if (named != null) {
        Files.write(below, content(named));
        Files.setLastModifiedTime(below, FileTime.from(Instant.EPOCH));
        leaveMode(named, below);
      }
    }
  }

  private void leaveMode(final Node node, final Path path) throws IOException {
    final Random random = new Random(seed + node.id());
    for (final int i : changesOf.getOrDefault(node, List.of())) {
      if (changes.get(i) instanceof final Mode mode && arrives(i, random)) {
        try (NativeFile file = NativeFile.open(path)) {
          file.chmod(mode.mode());
        }
      }
    }
  }

  private byte[] content(final Node node) {
    final Random random = new Random(seed + node.id()); // whatever order the names are in
    byte[] bytes = {};
    int size = 0;
    final Set<Integer> blocked = new HashSet<>();
    for (final int i : changesOf.getOrDefault(node, List.of())) {
      if (changes.get(i) instanceof final Write write) {
        final int end = (int) write.offset() + write.bytes().length;
        bytes = Arrays.copyOf(bytes, Math.max(bytes.length, end));
        size = arrives(i, random) ? Math.max(size, end) : size;
        lay(write, bytes, isSafe(i), blocked, random);
      } else if (changes.get(i) instanceof final Resize resize && arrives(i, random)) {
        size = (int) resize.size();
        bytes = Arrays.copyOf(Arrays.copyOf(bytes, Math.min(bytes.length, size)), size);
      }
    }
    return Arrays.copyOf(bytes, size);
  }

  private void lay(
      final Write write,
      final byte[] bytes,
      final boolean safe,
      final Set<Integer> blocked,
      final Random random) {
    final int begin = (int) write.offset();
    final int end = begin + write.bytes().length;
    for (int from = begin; from < end; from = (from / SECTOR + 1) * SECTOR) {
      final int to = Math.min(end, (from / SECTOR + 1) * SECTOR);
      if (safe || !blocked.contains(from / SECTOR) && random.nextDouble() < luck) {
        System.arraycopy(write.bytes(), from - begin, bytes, from, to - from);
      } else if (blocked.add(from / SECTOR) && random.nextBoolean()) {
        junk(bytes, from, to, random);
      }
    }
  }

  /** What another file had there before. */
  private void junk(final byte[] bytes, final int from, final int to, final Random random) {
    for (int i = from; i < to; i++) {
      if (bytes[i] != 0) {
        return;
      }
    }
    if (changes.get(random.nextInt(changes.size())) instanceof final Write old) {
      final int length = Math.min(to - from, old.bytes().length);
      System.arraycopy(old.bytes(), 0, bytes, from, length);
    }
  }
}
