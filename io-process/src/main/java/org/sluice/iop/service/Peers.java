package org.sluice.iop.service;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;

/** Tells this user's clients from others. */
final class Peers {
  private final UserPrincipal self;

  Peers() throws IOException {
    self = Files.getOwner(Path.of("/proc/self"));
  }

  /** Whether the client runs as the user that this I/O process runs as. */
  boolean isOwn(final SocketChannel client) throws IOException {
    return client.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(self);
  }
}
