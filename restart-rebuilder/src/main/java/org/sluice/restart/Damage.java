package org.sluice.restart;

import java.io.IOException;
import java.util.List;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;

/** The reports of damage. */
final class Damage {
  private Damage() {}

  /** Returns the exception with which a command ends that went on in spite of damage. */
  static CommandException failure(final List<IOException> damage) {
    final IOException first = damage.getFirst();
    return new CommandException(
        ExitStatus.of(first),
        damage.size() == 1
            ? first.getMessage()
            : "%s; and %d more, see sluice verify"
                .formatted(first.getMessage(), damage.size() - 1));
  }

  static JsonObject members(final IOException e) {
    return e instanceof final DamagedException damaged
        ? new JsonObject()
            .withFile("file", damaged.file())
            .with("offset", damaged.offset())
            .with("reason", damaged.reason())
        : new JsonObject().with("reason", e.getMessage());
  }
}
