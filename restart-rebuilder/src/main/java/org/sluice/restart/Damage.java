package org.sluice.restart;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.sluice.core.chunk.DamagedException;

/** What is said of damage in JSON. */
final class Damage {
  private Damage() {}

  static Map<String, Object> members(final IOException e) {
    final Map<String, Object> members = new LinkedHashMap<>();
    if (e instanceof final DamagedException damaged) {
      members.put("file", damaged.file());
      members.put("offset", damaged.offset());
      members.put("reason", damaged.reason());
    } else {
      members.put("reason", e.getMessage());
    }
    return members;
  }
}
