package org.sluice.restart;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.process.NativeProcess;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.CheckpointReader;

/**
 * The ownership of a checkpoint. A user who restores another user's files gets files of his own.
 * With a set-user-id bit they would act in his name.
 */
final class Ownership {
  private final String store;
  private final boolean known;
  private final Map<Integer, String> others;

  private Ownership(final String store, final boolean known, final Map<Integer, String> others) {
    this.store = store;
    this.known = known;
    this.others = others;
  }

  static Ownership of(final CheckpointReader store, final Commit commit) throws IOException {
    final Map<Integer, String> others = new TreeMap<>(store.owners(commit));
    others.remove(NativeProcess.user());
    return new Ownership(store.store(), store.knowsOwners(), others);
  }

  /** Returns a line that names the owner when that is another user. */
  Optional<String> stranger() {
    return others.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the store %s is not yours but of %s; what it holds is theirs"
                .formatted(store, names()));
  }

  void checkSpecialBits(final boolean wanted) {
    if (wanted && !known) {
      throw new CommandException(
          ExitStatus.DENIED,
          "only the user whose store it is gets --special-bits, and who wrote to %s nobody can tell; restore without"
              .formatted(store));
    }
    if (wanted && !others.isEmpty()) {
      throw new CommandException(
          ExitStatus.DENIED,
          "only the user whose store it is gets --special-bits, and %s is of %s; restore without"
              .formatted(store, names()));
    }
  }

  private String names() {
    return String.join(" and ", others.values());
  }
}
