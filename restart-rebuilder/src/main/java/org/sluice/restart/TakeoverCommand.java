package org.sluice.restart;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.directory.NodeIdentity;
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.core.store.parts.Stores;
import picocli.CommandLine.Model.CommandSpec;

/** The command that gives a store to another node. */
public final class TakeoverCommand implements Subcommand {
  private static final Duration QUIET = Duration.ofMinutes(1);

  private final StoreOption store = new StoreOption();

  /** True if the mark of the store's owner is damaged. */
  private boolean damaged;

  private final CommandSpec spec =
      Model.of(this, "takeover")
          .describe(
              "Makes this node the one that writes a store.",
              "A store belongs to the node that made it: on storage that nodes share, two that write one"
                  + " store would delete each other's checkpoints. Nothing on the other node may write it"
                  + " any more, and nothing may have done so within the last minute.")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.DAMAGED,
              ExitStatus.BUSY,
              ExitStatus.NO_ROOM,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION)
          .add(store)
          .examples("  sluice takeover --store /scratch/store-b17")
          .spec();

  /** Creates the command, for {@code ServiceLoader}. */
  public TakeoverCommand() {}

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    if (store.isElsewhere() || SeriesDirectory.is(store.directory())) {
      throw new CommandException(
          ExitStatus.USAGE,
          "the store %s is of several nodes, none of which owns it; any may write it"
              .formatted(store.location()));
    }
    try (PosixStore opened = Stores.openOfOneNode(store.directory(), null)) {
      final String self = NodeIdentity.self().name();
      final Optional<NodeIdentity> owner = owner(opened);
      if (owner.isEmpty() && damaged) {
        refuseUsed(opened, "a node that nobody can name");
        opened.takeOver();
        say(
            "node %s writes the store %s from here on; its mark of another one was damaged"
                .formatted(self, store.directory()));
      } else if (owner.isPresent() && !owner.get().isSelf()) {
        refuseUsed(opened, "node " + owner.get().name());
        opened.takeOver();
        say(
            "node %s writes the store %s from here on, no longer node %s"
                .formatted(self, store.directory(), owner.get().name()));
      } else {
        opened.claim();
        say("node %s writes the store %s".formatted(self, store.directory()));
      }
    }
    return ExitStatus.OK.code();
  }

  /** Returns the node that owns the store; empty also when its mark is damaged. */
  private Optional<NodeIdentity> owner(final PosixStore opened) throws IOException {
    try {
      return opened.owner();
    } catch (final DamagedException e) {
      damaged = true;
      return Optional.empty();
    }
  }

  private static void refuseUsed(final PosixStore opened, final String owner) throws IOException {
    final Duration ago = Duration.between(opened.lastUsed(), Instant.now());
    if (ago.abs().compareTo(QUIET) < 0) {
      throw new CommandException(
          ExitStatus.BUSY,
          "%s used the store %s %d s ago; stop what writes it there, and wait a minute"
              .formatted(owner, opened.directory(), Math.max(0, ago.toSeconds())));
    }
  }

  private void say(final String line) {
    spec.commandLine().getOut().println(Quoting.line(line));
  }
}
