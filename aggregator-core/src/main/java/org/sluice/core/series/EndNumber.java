package org.sluice.core.series;

import java.io.IOException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.engine.Engine;
import org.sluice.core.engine.NoObjectException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.store.SealedJson;

/**
 * The number of the checkpoint that has, at the end of a run, what no group took. No name tells it,
 * and what each node counts up to may differ. So the node that is first says it, by conditional
 * create, and the others take it.
 *
 * @param number the checkpoint's number
 * @param node the node that said it
 */
public record EndNumber(long number, String node) {
  private static final String FORMAT = "sluice end";
  private static final int VERSION = 1;
  private static final int MAX_LENGTH = 4096;

  /** No node is called so. */
  private static final String NOBODY = "+end";

  /** That of a run; this node's if no other has said one, and then no part that is there has it. */
  static EndNumber of(final Engine engine, final long begin, final String node, final long free)
      throws IOException {
    final String key = new DataKey(begin, NOBODY, "number").toString();
    try {
      return read(engine, key);
    } catch (final NoObjectException first) {
      engine.putIfAbsent(key, new EndNumber(behindParts(engine, begin, free), node).encode());
      return read(engine, key);
    }
  }

  private static long behindParts(final Engine engine, final long begin, final long free)
      throws IOException {
    return engine.list(PartKey.FOLDER).stream()
        .flatMap(key -> PartKey.parse(key).stream())
        .filter(part -> part.begin() == begin)
        .mapToLong(part -> part.number() + 1)
        .reduce(free, Math::max);
  }

  private byte[] encode() throws IOException {
    final Map<String, Object> members = new LinkedHashMap<>();
    members.put("format", FORMAT);
    members.put("version", VERSION);
    members.put("id", HexFormat.of().toHexDigits(Entropy.nextLong())); // no two are the same
    members.put("number", number);
    members.put("node", node);
    return SealedJson.encode(members);
  }

  private static EndNumber read(final Engine engine, final String key) throws IOException {
    final String object = engine + "/" + key;
    final Map<String, Object> members = SealedJson.decode(object, engine.getAll(key, MAX_LENGTH));
    if (FORMAT.equals(members.get("format"))
        && members.get("version") instanceof final Long version) {
      if (version != VERSION) {
        throw FormatVersionException.of(object, Math.toIntExact(version), VERSION);
      }
      if (members.get("number") instanceof final Long number
          && number > 0
          && members.get("node") instanceof final String node) {
        return new EndNumber(number, node);
      }
    }
    throw new DamagedException(object, 0, "it does not say the number of a checkpoint");
  }
}
