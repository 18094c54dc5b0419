package org.sluice.core.store.series;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.log.StoredPart;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.objects.Engine;

/**
 * The check that no file is in two nodes' parts which the user said one node alone writes. Only the
 * part itself tells its paths, so each part is read. Where paths name the one rank that writes a
 * file, no two nodes can have it, and nothing is read.
 */
public final class LoggedOnce {
  private final Engine engine;

  /**
   * @param engine storage of the parts; stays the caller's
   */
  public LoggedOnce(final Engine engine) {
    this.engine = engine;
  }

  /**
   * Looks at all parts of a checkpoint that may be committed. Parts never change, so all nodes that
   * look come to the same result.
   *
   * @throws RefusedException when two nodes have logged a file, or one has and another wrote to it
   */
  public void check(final Collection<PartKey> parts) throws IOException {
    final Map<String, Owner> owners = new HashMap<>();
    for (final PartKey key : parts) {
      final String node = key.node();
      final byte[] bytes = engine.getAll(key.toString(), StoredPart.MAX_LENGTH);
      for (final CommittedImage image : StoredPart.decode(engine + "/" + key, bytes).images()) {
        if (image.sharing() != null) {
          check(image.path(), new Owner(node, !image.isDirect()), owners);
        }
      }
    }
  }

  private record Owner(String node, boolean logs) {}

  private static void check(final String path, final Owner one, final Map<String, Owner> owners)
      throws RefusedException {
    final Owner other = owners.putIfAbsent(path, one);
    if (other != null && (other.logs() || one.logs())) {
      throw new RefusedException(
          "nodes %s and %s both wrote %s, which --private says one node alone opens; leave it out of --private, or give each node's file a name of its own"
              .formatted(other.node(), one.node(), Quoting.name(path)));
    }
  }
}
