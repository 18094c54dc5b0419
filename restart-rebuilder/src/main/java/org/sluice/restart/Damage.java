package org.sluice.restart;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;

/** What is said of damage. */
final class Damage {
  private Damage() {}

  /** What a command ends with that went on in spite of it. */
  static CommandException failure(final List<IOException> damage) {
    final IOException first = damage.getFirst();
    return new CommandException(
        ExitStatus.of(first),
        damage.size() == 1
            ? first.getMessage()
            : "%s; and %d more, see sluice verify"
                .formatted(first.getMessage(), damage.size() - 1));
  }

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
