package org.sluice.core.command;

import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.sluice.core.posix.Names;
import org.sluice.core.request.CommandConnection;
import org.sluice.core.request.RuntimePath;

/** The option of every subcommand with a request to a running I/O process. */
public final class NameOption implements SharedOptions {
  private static final String SOCKET = "socket";

  private String name;

  @Override
  public void addTo(final Model model) {
    model.add(
        option(String.class, value -> name = value, "--name")
            .paramLabel("NAME")
            .description(
                "Name of the I/O process; default: the one of environment SLUICE_DIRECTORY, or else"
                    + " 'default'."));
  }

  /**
   * Connects to the I/O process of that name; the caller closes the connection.
   *
   * @throws CommandException when there is none
   */
  public CommandConnection connect() throws IOException {
    if (name != null && !RuntimePath.isName(name)) {
      throw new CommandException(
          ExitStatus.USAGE, "'%s' is no name; use letters and digits".formatted(name));
    }
    final Path directory = RuntimePath.find(name);
    try {
      return CommandConnection.open(directory.resolve(SOCKET));
    } catch (final IOException e) {
      throw new CommandException(ExitStatus.NOT_FOUND, e.getMessage() + others(directory));
    }
  }

  private static String others(final Path directory) throws IOException {
    final Path base = directory.getParent();
    final List<String> names = new ArrayList<>();
    for (final Path each : Files.isDirectory(base) ? Names.in(base) : List.<Path>of()) {
      if (Files.exists(each.resolve(SOCKET))) {
        names.add(each.getFileName().toString());
      }
    }
    return names.isEmpty() ? "" : ", or name one of these: " + String.join(", ", names);
  }
}
