package org.sluice.restart;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Exits;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.NodeIdentity;
import org.sluice.core.store.PosixStore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Gives a store to another node. */
@Exits("NO_STORE DAMAGED BUSY NO_ROOM DENIED OTHER_VERSION")
@Command(
    name = "takeover",
    description = {
      "Makes this node the one that writes a store.",
      "A store belongs to the node that made it: on storage that nodes share, two that write one"
          + " store would delete each other's checkpoints. Nothing on the other node may write it"
          + " any more, and nothing may have done so within the last minute."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  sluice takeover --store /scratch/store-b17"})
public final class TakeoverCommand implements Subcommand {
  private static final Duration QUIET = Duration.ofMinutes(1);

  @Spec private CommandSpec spec;
  @Mixin private StoreOption store;

  /** For picocli. */
  public TakeoverCommand() {}

  @Override
  public Integer call() throws IOException {
    try (PosixStore opened = PosixStore.open(store.directory())) {
      final String self = NodeIdentity.self().name();
      final Optional<NodeIdentity> owner = opened.owner();
      if (owner.isPresent() && !owner.get().isSelf()) {
        refuseUsed(opened, owner.get().name());
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

  private static void refuseUsed(final PosixStore opened, final String owner) throws IOException {
    final Duration ago = Duration.between(opened.lastUsed(), Instant.now());
    if (ago.abs().compareTo(QUIET) < 0) {
      throw new CommandException(
          ExitStatus.BUSY,
          "node %s used the store %s %d s ago; stop what writes it there, and wait a minute"
              .formatted(owner, opened.directory(), Math.max(0, ago.toSeconds())));
    }
  }

  private void say(final String line) {
    spec.commandLine().getOut().println(Quoting.line(line));
  }
}
