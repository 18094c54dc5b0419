package org.sluice.profile;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.NameOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.request.CommandConnection;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.profile.report.LiveText;
import picocli.CommandLine.Model.CommandSpec;

/** Shows the counters of an I/O process that runs. */
final class LiveCommand implements Subcommand {
  private final NameOption name = new NameOption();
  private final JsonOption json = new JsonOption();

  private final CommandSpec spec =
      Model.of(this, "live")
          .describe(
              "Shows how the writes of a running I/O process divide by size.",
              "Also which of them went into the buffer. It always counts them, so nothing has to be"
                  + " recorded.")
          .exits(ExitStatus.NOT_FOUND)
          .add(name)
          .add(json)
          .examples(
              "  sluice profile live",
              "  watch sluice profile live --name job-17",
              "  sluice profile live --json | jq .drained_bytes")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    final String statistics;
    try (CommandConnection connection = name.connect()) {
      statistics = ((Reply.Text) connection.call(new Request.Stats())).text();
    }
    if (json.wanted()) {
      json.print(JSON.std.mapFrom(statistics));
    } else {
      LiveText.print(JSON.std.mapFrom(statistics), spec.commandLine().getOut());
    }
    return ExitStatus.OK.code();
  }
}
