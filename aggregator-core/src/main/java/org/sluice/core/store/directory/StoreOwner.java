package org.sluice.core.store.directory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.Speaker;
import org.sluice.core.store.format.JsonText;
import org.sluice.core.store.format.SealedJson;
import org.sluice.core.store.format.StoredFile;

/**
 * The node that writes a store. Locks hold among the processes of one node, and among nodes only if
 * the file system shares them. Without a mark two nodes would delete each other's parts. The mark
 * is a file that is made by a link, which fails where there is one, and replaced by a rename. So a
 * process always reads a whole mark. Thread-safe.
 *
 * <p>A file system that one node alone can mount brings its stores along, so there the mark follows
 * the node. Elsewhere nobody can know whether the other node is alive: the store stays that node's
 * until a user deletes the mark.
 */
public final class StoreOwner {
  private static final int MAX_LENGTH = 4096;
  private static final Set<String> MEMBERS = Set.of("node", "machine", "boot");

  private final StoreDirectory store;
  private final NodeIdentity self;
  private final boolean shared;

  /**
   * @param shared whether other nodes may use the store's file system
   */
  public StoreOwner(final StoreDirectory store, final NodeIdentity self, final boolean shared) {
    this.store = store;
    this.self = self;
    this.shared = shared;
  }

  /** Returns the node of the mark; empty without a mark. */
  public Optional<NodeIdentity> find() throws IOException {
    if (!Files.exists(store.node(), LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    try {
      final Map<String, Object> members = members(StoredFile.readAll(store.node(), MAX_LENGTH));
      return Optional.of(
          new NodeIdentity(
              member(members, "node"), member(members, "machine"), member(members, "boot")));
    } catch (final DamagedException e) {
      throw damaged(e.reason());
    } catch (final IOException | RuntimeException e) {
      throw damaged("it names no node");
    }
  }

  private DamagedException damaged(final String reason) throws IOException {
    return new DamagedException(
        store.node().toString(),
        0,
        reason + "; delete it, once nothing on other nodes writes there");
  }

  /** The mark of an older Sluice has no crc, and only these three members. */
  private Map<String, Object> members(final byte[] mark) throws IOException {
    final Map<String, Object> members = JsonText.members(mark);
    return members.keySet().equals(MEMBERS)
        ? members
        : SealedJson.decode(store.node().toString(), mark);
  }

  private static String member(final Map<String, Object> members, final String name)
      throws IOException {
    if (members.get(name) instanceof final String text) {
      return text;
    }
    throw new IOException(name + " is missing");
  }

  /** Refuses to change the store of another node. */
  public void check() throws IOException {
    if (!shared || isSelf()) {
      return;
    }
    final Optional<NodeIdentity> owner = find();
    if (owner.isPresent() && !owner.get().isSameAs(self)) {
      throw new OtherNodeException(
          ("the store %s is written by %s; give each node a store of its own, such as %s-%s, or delete"
                  + " %s once nothing there writes this one any more")
              .formatted(store.path(), name(owner.get()), store.path(), self.name(), store.node()));
    }
  }

  private String name(final NodeIdentity owner) {
    return owner.name().equals(self.name())
        ? "another node that is called %s, too".formatted(owner.name())
        : "node " + owner.name();
  }

  /** Returns whether the mark is just the mark of this node. */
  private boolean isSelf() throws IOException {
    return Files.exists(store.node(), LinkOption.NOFOLLOW_LINKS)
        && Arrays.equals(StoredFile.readAll(store.node(), MAX_LENGTH), mark());
  }

  /** Makes this node the owner, unless another is. */
  public void claim() throws IOException {
    if (!Files.exists(store.node(), LinkOption.NOFOLLOW_LINKS)) {
      // A single one of two nodes makes the file; its content then counts, not the result of a
      // call.
      store.disk().createWhole(draft(), store.node(), mark());
      store.disk().syncDirectory(store.path(), null);
    }
    if (!isSelf()) {
      check();
      tellOfDamage();
      replace(); // the node has another name now, or was booted since
    }
  }

  /** Warns of a damaged mark, which is replaced: no other node can have the store. */
  private void tellOfDamage() throws IOException {
    try {
      find();
    } catch (final DamagedException e) {
      Speaker.say(store.node().toString() + " was damaged and is made anew");
    }
  }

  private void replace() throws IOException {
    store.disk().replaceWhole(draft(), store.node(), mark());
    store.disk().syncDirectory(store.path(), null);
  }

  private Path draft() {
    return store
        .path()
        .resolve(store.node().getFileName() + "." + HexFormat.of().toHexDigits(Entropy.nextLong()));
  }

  private byte[] mark() throws IOException {
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("node", self.name());
    members.put("machine", self.machine());
    members.put("boot", self.boot());
    return SealedJson.encode(members);
  }
}
